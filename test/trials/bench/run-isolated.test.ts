import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { runIsolated } from '../../../trials/bench/run-isolated.ts'

const programs = new URL('../../support/isolated-programs.ts', import.meta.url)

test('runIsolated returns the message of a program', async () => {
  const result = await runIsolated(programs, ['sends'], { limitMs: 100_000 })
  expect(result).toEqual({ message: ['one', 2] })
})

test.each([
  ['fails', 'the disk is gone'],
  ['failsElsewhere', 'a part ended by itself'],
])('runIsolated reports the error of the program %s', async (program, failure) => {
  const result = await runIsolated(programs, [program], { limitMs: 100_000 })
  expect(result).toEqual({ failure })
})

test('an interrupted program leaves no server and no file', async () => {
  const place = mkdtempSync(join(tmpdir(), 'isolated-'))
  onTestFinished(() => rmSync(place, { recursive: true }))
  const file = join(place, 'told')
  const interrupting = new AbortController()
  const limits = { limitMs: 100_000, signal: interrupting.signal }
  const hanging = runIsolated(programs, ['hangs', file], limits)
  const { pid, folder } = await vi.waitFor(() => JSON.parse(readFileSync(file, 'utf8')), {
    timeout: 90_000,
  })
  expect(isRunning(pid)).toBe(true)
  interrupting.abort()
  expect(await hanging).toEqual({ failure: 'interrupted' })
  expect(isRunning(pid)).toBe(false)
  expect(existsSync(folder)).toBe(false)
})

test('runIsolated ends a program that takes too long', async () => {
  const result = await runIsolated(programs, ['hangs'], { limitMs: 1 })
  expect(result).toEqual({ failure: 'not done after 0.001 s' })
})

/** Reports whether a process runs. A zombie (`Z`) has ended, but its parent has not read the exit code yet. */
function isRunning(pid: string): boolean {
  const stat = `/proc/${pid}/stat`
  return existsSync(stat) && !/\) Z/.test(readFileSync(stat, 'utf8'))
}
