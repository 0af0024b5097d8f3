import { writeSync } from 'node:fs'
import { errorCode } from '../error-code.ts'

/**
 * The standard output of this process, as a destination for pino. A line that cannot be written never blocks or ends
 * the process: it waits in memory, and is lost when too many lines wait.
 */
export type LogOutput = {
  /** Takes a line that ends with a line break. */
  write(line: string): void
  /**
   * Writes the waiting lines before the process ends. If the pipe is full, waits for the reader, at most a second at a
   * time.
   */
  flushSync(): void
}

type Options = {
  /**
   * The size of a batch. Lines are written in batches, because a write costs as much CPU as the request that is logged.
   */
  batchBytes: number
  /** Called with the number of lost lines once lines can be written again. */
  onRecovery(lostCount: number): void
}

/**
 * The size of a batch in a pipe that several processes share. A pipe may mix the lines of larger batches (PIPE_BUF of
 * Linux).
 */
export const SHARED_BATCH_BYTES = 4_096

/** How long a line may wait for its batch. */
const FLUSH_MS = 100

/** The pause after a failed write. A failed write costs more CPU than a written line. */
const RETRY_MS = 10

/** The memory for lines that cannot be written: about a second of lines under full load. */
const MAX_WAITING_BYTES = 1_048_576

/** How long the process, at its end, waits for a reader that reads nothing. */
const MAX_END_WAIT_MS = 1_000

/** The error code of a write to a full pipe. */
const FULL_PIPE = 'EAGAIN'

const STANDARD_OUTPUT = 1

const ENDING_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

let lostCount = 0

/** Returns the number of lines that this process could not write. */
export function lostLines(): number {
  return lostCount
}

/**
 * Opens this process's standard output for lines. Handles every failed write: a full disk, and a slow or closed reader.
 */
export function openLogOutput({ batchBytes: maxBatchBytes, onRecovery }: Options): LogOutput {
  ignoreOutputErrors()
  const waitingBatches: Buffer[] = []
  let batch: string[] = []
  let batchBytes = 0
  let waitingBytes = 0
  let retryAt = 0
  let reportedCount = lostCount

  const closeBatch = () => {
    if (batch.length > 0) waitingBatches.push(Buffer.from(batch.join('')))
    batch = []
    batchBytes = 0
  }
  const flush = (): Outcome => {
    closeBatch()
    for (let next = waitingBatches[0]; next; next = waitingBatches[0]) {
      const { writtenBytes, fault } = tryWrite(next)
      waitingBytes -= writtenBytes
      if (fault !== null) {
        retryAt = performance.now() + RETRY_MS
        return { fault, waitingBytes }
      }
      if (writtenBytes < next.length) waitingBatches[0] = next.subarray(writtenBytes)
      else waitingBatches.shift()
    }
    const newlyLost = lostCount - reportedCount
    reportedCount = lostCount
    if (newlyLost > 0) onRecovery(newlyLost)
    return { fault: null, waitingBytes }
  }
  const write = (line: string) => {
    const bytes = Buffer.byteLength(line)
    if (waitingBytes + bytes > MAX_WAITING_BYTES) {
      lostCount++
      return
    }
    if (batchBytes + bytes > maxBatchBytes) {
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
 * Ignores errors of standard output and standard error, so that a package that prints on a full disk does not end the
 * process. Reading `process.stdout` also makes a pipe non-blocking: a write to a full pipe fails instead of waiting.
 */
function ignoreOutputErrors() {
  for (const stream of [process.stdout, process.stderr])
    if (!stream.listeners('error').includes(ignoreFault)) stream.on('error', ignoreFault)
}

function ignoreFault() {}

function tryWrite(bytes: Buffer): { writtenBytes: number; fault: string | null } {
  try {
    return { writtenBytes: writeSync(STANDARD_OUTPUT, bytes), fault: null }
  } catch (error) {
    return { writtenBytes: 0, fault: errorCode(error) ?? 'unknown' }
  }
}

/** Repeats the flush while the reader of a full pipe makes progress. Does not repeat after any other fault. */
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

/**
 * Flushes at the end of the process. A signal without a listener ends a process, for example during its start, and Node
 * then emits no `exit`. So each signal gets a listener.
 */
function flushAtEnd({ flushSync }: LogOutput) {
  process.once('exit', flushSync)
  for (const signal of ENDING_SIGNALS)
    process.once(signal, () => {
      if (process.listenerCount(signal) > 0) return
      flushSync()
      process.kill(process.pid, signal)
    })
}
