import { availableParallelism } from 'node:os'
import { defineConfig, type ViteUserConfig } from 'vitest/config'
import { SlowFirst } from './test/support/slow-first.ts'

/** `npm test`: every test. */
const all: ViteUserConfig = {
  plugins: [
    {
      name: 'packages as they are for Node',
      // Vitest would also take the sources that some packages, such as @arethetypeswrong/core, have for their own development,
      // which Node cannot read.
      configResolved({ ssr }) {
        if (ssr.resolve) ssr.resolve.conditions = ['node']
      },
    },
  ],
  test: {
    include: ['{test,packages/*/test}/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    reporters: ['default', './test/support/summary-reporter.ts'],
    // A time zone whose offset is no whole number of hours: what is told in the wrong one is seen.
    env: { TZ: 'Australia/Lord_Howe' },
    // Only to stop what hangs, however slow the machine is.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    // Files share the modules that they import: importing them anew for each file took a third of the time.
    isolate: false,
    sequence: { sequencer: SlowFirst },
    // Node imports the modules of tests itself, as it does those of the services: a tenth of the time less than through Vite.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    execArgv: [
      // So threads of tests start in half the time.
      ...['--import', './local/caches/start-cache.mjs'],
      ...['--import', './test/support/raw-imports.mjs'],
      // Every core is busy with tests: what is collected seldom, and on no thread of its own, costs them least.
      ...['--single-threaded-gc', '--min-semi-space-size=64', '--max-semi-space-size=64'],
      '--initial-heap-size=768',
    ],
    // A third of a file's time is waiting: for a process to start, or for something that is due.
    maxWorkers: availableParallelism() * 2,
  },
}

/** The other runs: `vitest --mode quick` for `npm run test:quick`, and so on. A module is read for its own run only. */
export default defineConfig(async ({ mode }): Promise<ViteUserConfig> => {
  if (mode === 'quick') return (await import('./test/support/runs/quick.ts')).quickRun(all)
  if (mode === 'hasura') return (await import('./test/support/runs/hasura.ts')).hasuraRun
  if (mode === 'arm64') return (await import('./test/support/runs/arm64.ts')).arm64Run
  return all
})
