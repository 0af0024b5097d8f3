import { setTimeout as sleep } from 'node:timers/promises'

type Stoppable = { stop(): Promise<void> }

/** Starts a part; `onEnd` is called when the part ends by itself later. */
export type StartPart<Part> = (onEnd: (error: Error) => void) => Promise<Part>

type Keeping = {
  /** The name of the part. */
  name: string
  /** Gets sentences for the person at the terminal. */
  tell(line: string): void
  /** Called once the part has ended too often. */
  onGivenUp(error: Error): void
  /** Waits for some milliseconds, or until the signal is aborted. */
  wait?: (ms: number, signal: AbortSignal) => Promise<void>
}

/** In milliseconds, before each new start: a minute in all, in which a person can free a full disk. */
const PAUSES_MS = [0, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 30_000]

/** In milliseconds; after a part has run for so long, its earlier ends no longer count. */
const STEADY_MS = 60_000

/**
 * Starts a part, and starts it again whenever it ends by itself, in the same place.
 *
 * @returns the part that was started first, with a `stop` for the part that runs by then
 * @throws what the first start throws
 */
export async function keepRunning<Part extends Stoppable>(
  startPart: StartPart<Part>,
  { name, tell, onGivenUp, wait = waitFor }: Keeping,
): Promise<Part> {
  const stopping = new AbortController()
  const { signal } = stopping
  let ends = 0
  let restarting = Promise.resolve()
  const onEnd = (error: Error) => {
    if (!signal.aborted) restarting = restart(error)
  }
  const first = await startPart(onEnd)
  let part = first
  let startedAt = performance.now()
  return {
    ...first,
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
      return onGivenUp(new Error(`${end.message}\n${name} has ended ${ends + 1} times.`))
    ends += 1
    tell(`${end.message}\n${name} is started again${pause > 0 ? ` in ${pause / 1_000} s` : ''}.`)
    await wait(pause, signal)
    if (signal.aborted) return
    try {
      part = await startPart(onEnd)
    } catch (error) {
      return restart(error instanceof Error ? error : new Error(String(error)))
    }
    startedAt = performance.now()
    tell(`${name} runs again.`)
  }
}

async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {})
}
