import { writeSync } from 'node:fs'
import { errorCode } from '../error-code.ts'

/**
 * The standard output of this process, as pino writes to it. A line that cannot be written costs neither the caller nor the
 * process anything: it waits, and is lost when too many wait.
 */
export type LogOutput = {
  /** Takes a line, which ends with a line break. */
  write(line: string): void
  /** Writes what waits. A full pipe gets a second for each part of it, since the process is about to end. */
  flushSync(): void
}

type Options = {
  /** Hears of lost lines when lines can be written again. */
  onRecovery(lost: number): void
}

/**
 * Lines are written together: a write for each would cost as much as the request that it logs. A pipe takes no more at once
 * without mixing the lines of several processes (PIPE_BUF of Linux).
 */
const BATCH_BYTES = 4_096

/** How long a line may wait to be written together with later ones. */
const FLUSH_MS = 100

/** How long nothing is written after a failure: a failed write costs more than a line. */
const RETRY_MS = 10

/** The memory for lines that cannot be written: a second of them under full load, or a burst of them at once. */
const MAX_WAITING_BYTES = 1_048_576

/** How long the end of the process waits for a reader that takes nothing. */
const MAX_END_WAIT_MS = 1_000

/** What a standard output that is a pipe answers while it is full. */
const FULL_PIPE = 'EAGAIN'

const STANDARD_OUTPUT = 1

const ENDING_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

let lost = 0

/** How many lines this process has lost since it began, because they could not be written. */
export function lostLines(): number {
  return lost
}

/** Opens this process's standard output for lines. Every failure to write ends here: a full disk, a reader that is slow or gone. */
export function openLogOutput({ onRecovery }: Options): LogOutput {
  letNoOutputEndTheProcess()
  const waiting: Buffer[] = []
  let batch: string[] = []
  let batchBytes = 0
  let waitingBytes = 0
  let retryAt = 0
  let reportedLost = lost

  const closeBatch = () => {
    if (batch.length > 0) waiting.push(Buffer.from(batch.join('')))
    batch = []
    batchBytes = 0
  }
  const flush = (): Outcome => {
    closeBatch()
    for (let next = waiting[0]; next; next = waiting[0]) {
      const { written, fault } = tryWrite(next)
      waitingBytes -= written
      if (fault !== null) {
        retryAt = performance.now() + RETRY_MS
        return { fault, waitingBytes }
      }
      if (written < next.length) waiting[0] = next.subarray(written)
      else waiting.shift()
    }
    const unreported = lost - reportedLost
    reportedLost = lost
    if (unreported > 0) onRecovery(unreported)
    return { fault: null, waitingBytes }
  }
  const write = (line: string) => {
    const bytes = Buffer.byteLength(line)
    if (waitingBytes + bytes > MAX_WAITING_BYTES) {
      lost++
      return
    }
    if (batchBytes + bytes > BATCH_BYTES) {
      if (performance.now() < retryAt) closeBatch()
      else flush()
    }
    batch.push(line)
    batchBytes += bytes
    waitingBytes += bytes
  }
  setInterval(flush, FLUSH_MS).unref()
  const output = { write, flushSync: () => flushUntilStuck(flush) }
  flushAtEnd(output)
  return output
}

type Outcome = { fault: string | null; waitingBytes: number }

/**
 * A pipe that is full then answers so, where it would keep the whole process waiting: Node makes a pipe non-blocking when its
 * stream is first asked for. And what a package prints on a full disk is no error that ends the process.
 */
function letNoOutputEndTheProcess() {
  for (const stream of [process.stdout, process.stderr])
    if (!stream.listeners('error').includes(ignoreFault)) stream.on('error', ignoreFault)
}

function ignoreFault() {}

function tryWrite(bytes: Buffer): { written: number; fault: string | null } {
  try {
    return { written: writeSync(STANDARD_OUTPUT, bytes), fault: null }
  } catch (error) {
    return { written: 0, fault: errorCode(error) ?? 'unknown' }
  }
}

/** Lets a reader empty a full pipe as long as it takes something; any other fault will be there in a moment, too. */
function flushUntilStuck(flush: () => Outcome) {
  const pause = new Int32Array(new SharedArrayBuffer(4))
  let before = Number.POSITIVE_INFINITY
  let deadline = 0
  for (;;) {
    const { fault, waitingBytes } = flush()
    if (waitingBytes < before) deadline = performance.now() + MAX_END_WAIT_MS
    before = waitingBytes
    if (fault !== FULL_PIPE || performance.now() > deadline) return
    Atomics.wait(pause, 0, 0, RETRY_MS)
  }
}

/** Node runs no code of ours when a signal ends a process that does not listen for it, such as one that is starting. */
function flushAtEnd({ flushSync }: LogOutput) {
  process.once('exit', flushSync)
  for (const signal of ENDING_SIGNALS)
    process.once(signal, () => {
      if (process.listenerCount(signal) > 0) return
      flushSync()
      process.kill(process.pid, signal)
    })
}
