import type { Reporter, TestModule } from 'vitest/node'

/** Ends the output of a run with `N passed, N failed`. Errors of a file, and errors outside tests, count as failed too. */
export default class Summary implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]) {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const passedCount = tests.filter((test) => test.result().state === 'passed').length
    const brokenModuleCount = modules.filter((module) => module.errors().length > 0).length
    const failedCount =
      tests.filter((test) => test.result().state === 'failed').length +
      brokenModuleCount +
      errors.length
    process.stdout.write(`\n${passedCount} passed, ${failedCount} failed\n`)
  }
}
