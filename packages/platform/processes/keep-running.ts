import { setTimeout as sleep } from 'node:timers/promises'

type Stoppable = { stop(): Promise<void> }

/** Starts a part. Calls `onEnd` if the part ends unexpectedly later. */
export type StartPart<Part> = (onEnd: (error: Error) => void) => Promise<Part>

type RestartOptions = {
  name: string
  /** Gets messages for the terminal. */
  report(line: string): void
  /** Called when the part has ended and is not restarted again. */
  onGiveUp(error: Error): void
  /** Waits for some milliseconds, or until the signal aborts. */
  wait?: (ms: number, signal: AbortSignal) => Promise<void>
}

/** The pause before each restart, in ms. The pauses add up to a minute, in which a user can make room on a full disk. */
const PAUSES_MS = [0, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 30_000]

/** After a part has run this long, in ms, its earlier ends no longer count. */
const STEADY_MS = 60_000

/**
 * Starts a part, and restarts it when it ends unexpectedly. Gives up when the part has ended nine times in a row.
 *
 * @returns the first part, with a `stop` that stops the part that currently runs
 * @throws the error of the first start
 */
export async function keepRunning<Part extends Stoppable>(
  startPart: StartPart<Part>,
  { name, report, onGiveUp, wait = sleepUntilAborted }: RestartOptions,
): Promise<Part> {
  const stopping = new AbortController()
  const { signal } = stopping
  let ends = 0
  let restarting = Promise.resolve()
  const onEnd = (error: Error) => {
    if (!signal.aborted) restarting = restart(error)
  }
  const firstPart = await startPart(onEnd)
  let part = firstPart
  let startedAt = performance.now()
  return {
    ...firstPart,
    async stop() {
      stopping.abort()
      await restarting
      await part.stop()
    },
  }

  async function restart(end: Error): Promise<void> {
    if (performance.now() - startedAt > STEADY_MS) ends = 0
    const pause = PAUSES_MS[ends]
    if (pause === undefined)
      return onGiveUp(
        new Error(`${end.message}\n${name} ended ${ends + 1} times, and is not restarted again.`),
      )
    ends += 1
    report(`${end.message}\nRestarting ${name}${pause > 0 ? ` in ${pause / 1_000} s` : ''}.`)
    await wait(pause, signal)
    if (signal.aborted) return
    try {
      part = await startPart(onEnd)
    } catch (error) {
      return restart(error instanceof Error ? error : new Error(String(error)))
    }
    startedAt = performance.now()
    report(`${name} is running again.`)
  }
}

async function sleepUntilAborted(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {})
}
