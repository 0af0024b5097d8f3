import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { requireValue } from '../../../../lib/runtime/require-value.ts'
import { endProcess } from '../../../../local/process/end-process.ts'

/**
 * A program that logs up to 3,000 lines a second. It reports on standard error the number of logged and lost lines, and its
 * memory.
 */
const PROGRAM = `
  import { createLogger } from './lib/runtime/log/log.ts'
  import { lostLines } from './lib/runtime/log/log-output.ts'
  const log = createLogger('test', 'info')
  let logged = 0
  setInterval(() => {
    for (let i = 0; i < 30; i++) log.info({ number: logged++, padding: '–'.repeat(200) }, 'event')
  }, 10)
  setInterval(() => {
    const megabytes = process.memoryUsage().rss / 1e6
    console.error(JSON.stringify({ logged, lost: lostLines(), megabytes }))
  }, 50)
`

const Report = z.object({
  logged: z.number(),
  lost: z.number(),
  megabytes: z.number(),
})
const Line = z.object({
  msg: z.string(),
  number: z.number().optional(),
  lost: z.number().optional(),
})

/** Runs an ES module in the project's folder. */
function run(program: string, stdout: 'pipe' | number): ChildProcess {
  const args = ['--input-type=module', '--eval', program]
  const child = spawn(process.execPath, args, { stdio: ['ignore', stdout, 'pipe'] })
  onTestFinished(() => endProcess(child, { signal: 'SIGKILL' }))
  return child
}

/** Returns the function that gives the newest report on standard error. */
function reportsOf(child: ChildProcess) {
  let newest: z.infer<typeof Report> = { logged: 0, lost: 0, megabytes: 0 }
  let incompleteLine = ''
  child.stderr?.on('data', (chunk) => {
    const lines = `${incompleteLine}${chunk}`.split('\n')
    incompleteLine = lines.pop() ?? ''
    for (const line of lines) newest = Report.parse(JSON.parse(line))
  })
  return () => newest
}

const outputOf = (child: ChildProcess): Readable => requireValue(child.stdout, 'the output')
const linesIn = (output: string) =>
  output
    .split('\n')
    .filter(Boolean)
    .map((line) => Line.parse(JSON.parse(line)))

const fullDisk = () => run(PROGRAM, openSync('/dev/full', 'w'))
const closedReader = () => {
  const child = run(PROGRAM, 'pipe')
  outputOf(child).destroy()
  return child
}
/** Starts the program and reads no output: the pipe between the processes fills up after 64 kB. */
const pausedReader = () => run(PROGRAM, 'pipe')

describe.each([
  ['a full disk', fullDisk],
  ['a pipe whose reader is gone', closedReader],
  ['a pipe that no process reads', pausedReader],
])('a process that logs to %s continues, and can end', (_name, start) => {
  test('the process continues in bounded memory, and counts the lost lines', async () => {
    const child = start()
    const report = reportsOf(child)
    await vi.waitFor(() => expect(report().lost).toBeGreaterThan(1_000), 30_000)
    const { lost, megabytes } = report()
    await vi.waitFor(() => expect(report().lost).toBeGreaterThan(lost + 3_000), 30_000)
    expect(child.exitCode).toBeNull()
    expect(report().megabytes - megabytes).toBeLessThan(60)
    // The waiting lines and the kernel's pipe together hold fewer than 2,000 of these lines.
    expect(report().logged - report().lost).toBeLessThan(2_000)
  })

  test('the process ends soon after a signal, although its last lines cannot be written', async () => {
    const child = start()
    const report = reportsOf(child)
    await vi.waitFor(() => expect(report().lost).toBeGreaterThan(0), 30_000)
    const signalledAt = performance.now()
    child.kill('SIGTERM')
    const [, signal] = await once(child, 'exit')
    expect(signal).toBe('SIGTERM')
    expect(performance.now() - signalledAt).toBeLessThan(10_000)
  })
})

test('a reader that pauses gets the remaining lines in order, and a line with the number of lost lines', async () => {
  const child = pausedReader()
  const report = reportsOf(child)
  await vi.waitFor(() => expect(report().lost).toBeGreaterThan(100), 30_000)
  const reading = text(outputOf(child))
  const { logged } = report()
  await vi.waitFor(() => expect(report().logged).toBeGreaterThan(logged + 1_000), 30_000)
  child.kill('SIGTERM')
  const lines = linesIn(await reading)
  const numbers = lines.flatMap(({ number }) => number ?? [])
  const lostCounts = lines.flatMap(({ lost }) => lost ?? [])
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
  expect(lostCounts.length).toBeGreaterThan(0)
  const lostTotal = lostCounts.reduce((sum, lost) => sum + lost, 0)
  expect(numbers.length + lostTotal).toBe(requireValue(numbers.at(-1), 'the last line') + 1)
})

test('a package that prints to a full disk does not end the process', async () => {
  const program = `${PROGRAM}; setInterval(() => console.log('a line of a package'), 20)`
  const child = run(program, openSync('/dev/full', 'w'))
  const report = reportsOf(child)
  await vi.waitFor(() => expect(report().logged).toBeGreaterThan(1_000), 30_000)
  expect(child.exitCode).toBeNull()
})

describe('a process writes all of its lines before it ends', () => {
  const LOGS = `
    import { createLogger } from './lib/runtime/log/log.ts'
    const log = createLogger('test', 'info')
    for (let number = 0; number < 3_000; number++) log.info({ number, padding: 'x'.repeat(60) }, 'event')
    console.error('logged')
  `
  test.each([
    ['it has nothing left to do', '', { code: 0, signal: null }],
    ['it exits', 'process.exit(3)', { code: 3, signal: null }],
    ['it does not catch an error', "throw new Error('fatal')", { code: 1, signal: null }],
    [
      'it does not catch a rejection',
      "Promise.reject(new Error('fatal'))",
      { code: 1, signal: null },
    ],
    [
      'a signal ends it during its start',
      "process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1_000)",
      { code: null, signal: 'SIGTERM' },
    ],
    [
      'it exits on a signal',
      "process.on('SIGTERM', () => process.exit(0)); process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1_000)",
      { code: 0, signal: null },
    ],
  ])(
    'a process writes all of its lines if %s, even to a slow reader',
    async (_name, ending, end) => {
      const child = run(`${LOGS};${ending}`, 'pipe')
      const exit = once(child, 'exit')
      // The lines do not fit into the pipe, so the process waits for its reader.
      await once(requireValue(child.stderr, 'the errors'), 'data')
      const lines = linesIn(await text(outputOf(child)))
      expect(lines.map(({ number }) => number)).toEqual([...Array(3_000).keys()])
      const [code, signal] = await exit
      expect({ code, signal }).toEqual(end)
    },
  )
})

test('processes that share a pipe do not mix their lines', () => {
  const program = `
    import { createLogger } from './lib/runtime/log/log.ts'
    const log = createLogger('test', 'info')
    for (let number = 0; number < 1_000; number++) log.info({ number, padding: '–'.repeat(70) }, 'event')
  `
  const shell = 'for process in 1 2 3 4; do "$0" --input-type=module --eval "$1" & done; wait'
  const args = ['-c', `{ ${shell}; } | cat`, process.execPath, program]
  const { stdout } = spawnSync('sh', args, { encoding: 'utf8', maxBuffer: 50_000_000 })
  expect(linesIn(stdout)).toHaveLength(4_000)
})
