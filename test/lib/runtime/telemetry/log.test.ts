import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { present } from '../../../../lib/runtime/present.ts'
import { endProcess } from '../../../../local/process/end-process.ts'

/**
 * Logs on and on, 3,000 lines a second at most, and reports on its standard error how many lines it has logged and lost, and how
 * much memory it has.
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

/** Runs a program of ES modules in the project's folder. */
function run(program: string, stdout: 'pipe' | number): ChildProcess {
  const args = ['--input-type=module', '--eval', program]
  const child = spawn(process.execPath, args, { stdio: ['ignore', stdout, 'pipe'] })
  onTestFinished(() => endProcess(child, { signal: 'SIGKILL' }))
  return child
}

/** The newest report of the program on its standard error. */
function reportsOf(child: ChildProcess) {
  let newest: z.infer<typeof Report> = { logged: 0, lost: 0, megabytes: 0 }
  let rest = ''
  child.stderr?.on('data', (chunk) => {
    const lines = `${rest}${chunk}`.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) newest = Report.parse(JSON.parse(line))
  })
  return () => newest
}

const outputOf = (child: ChildProcess): Readable => present(child.stdout, 'the output')
const linesIn = (output: string) =>
  output
    .split('\n')
    .filter(Boolean)
    .map((line) => Line.parse(JSON.parse(line)))

const fullDisk = () => run(PROGRAM, openSync('/dev/full', 'w'))
const readerThatIsGone = () => {
  const child = run(PROGRAM, 'pipe')
  outputOf(child).destroy()
  return child
}
/** The pipe holds 64 kB in the kernel; Node reads no more of it until someone asks. */
const readerThatTakesNothing = () => run(PROGRAM, 'pipe')

describe.each([
  ['a full disk', fullDisk],
  ['a pipe whose reader is gone', readerThatIsGone],
  ['a pipe that no process reads', readerThatTakesNothing],
])('with its log on %s', (_name, start) => {
  test('a process runs on in bounded memory, loses lines, and counts them', async () => {
    const child = start()
    const report = reportsOf(child)
    await vi.waitFor(() => expect(report().lost).toBeGreaterThan(1_000), 30_000)
    const { lost, megabytes } = report()
    await vi.waitFor(() => expect(report().lost).toBeGreaterThan(lost + 3_000), 30_000)
    expect(child.exitCode).toBeNull()
    expect(report().megabytes - megabytes).toBeLessThan(60)
    // What waits, and what is in the kernel's pipe, is less than 2,000 of these lines.
    expect(report().logged - report().lost).toBeLessThan(2_000)
  })

  test('a process ends on a signal soon, though its last lines cannot be written', async () => {
    const child = start()
    const report = reportsOf(child)
    await vi.waitFor(() => expect(report().lost).toBeGreaterThan(0), 30_000)
    const signalled = performance.now()
    child.kill('SIGTERM')
    const [, signal] = await once(child, 'exit')
    expect(signal).toBe('SIGTERM')
    expect(performance.now() - signalled).toBeLessThan(10_000)
  })
})

test('a reader that stops for a moment loses what did not fit, finds a line that says how much, and the rest in order', async () => {
  const child = readerThatTakesNothing()
  const report = reportsOf(child)
  await vi.waitFor(() => expect(report().lost).toBeGreaterThan(100), 30_000)
  const reading = text(outputOf(child))
  const { logged } = report()
  await vi.waitFor(() => expect(report().logged).toBeGreaterThan(logged + 1_000), 30_000)
  child.kill('SIGTERM')
  const lines = linesIn(await reading)
  const numbers = lines.flatMap(({ number }) => number ?? [])
  const reported = lines.flatMap(({ lost }) => lost ?? [])
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
  expect(reported.length).toBeGreaterThan(0)
  const lostInAll = reported.reduce((sum, lost) => sum + lost, 0)
  expect(numbers.length + lostInAll).toBe(present(numbers.at(-1), 'the last line') + 1)
})

test('a package that prints on a full disk does not end a service', async () => {
  const printing = `${PROGRAM}; setInterval(() => console.log('a package says'), 20)`
  const child = run(printing, openSync('/dev/full', 'w'))
  const report = reportsOf(child)
  await vi.waitFor(() => expect(report().logged).toBeGreaterThan(1_000), 30_000)
  expect(child.exitCode).toBeNull()
})

describe('the last line is there', () => {
  const LOGS = `
    import { createLogger } from './lib/runtime/log/log.ts'
    const log = createLogger('test', 'info')
    for (let number = 0; number < 3_000; number++) log.info({ number, padding: 'x'.repeat(60) }, 'event')
    console.error('logged')
  `
  test.each([
    ['nothing is left to do', '', { code: 0, signal: null }],
    ['it exits', 'process.exit(3)', { code: 3, signal: null }],
    ['an error is not caught', "throw new Error('fatal')", { code: 1, signal: null }],
    ['a promise is rejected', "Promise.reject(new Error('fatal'))", { code: 1, signal: null }],
    [
      'a signal ends it while it starts',
      "process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1_000)",
      { code: null, signal: 'SIGTERM' },
    ],
    [
      'a signal is answered',
      "process.on('SIGTERM', () => process.exit(0)); process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1_000)",
      { code: 0, signal: null },
    ],
  ])('when %s, also where the reader is late', async (_name, ending, ended) => {
    const child = run(`${LOGS};${ending}`, 'pipe')
    const exit = once(child, 'exit')
    // Not all of it fits into the pipe: the process waits for its reader.
    await once(present(child.stderr, 'the errors'), 'data')
    const lines = linesIn(await text(outputOf(child)))
    expect(lines.map(({ number }) => number)).toEqual([...Array(3_000).keys()])
    const [code, signal] = await exit
    expect({ code, signal }).toEqual(ended)
  })
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
