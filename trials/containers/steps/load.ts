import { setTimeout as sleep } from 'node:timers/promises'

/** What came of a load. */
export type Outcome = { sent: number; failed: number; answers: Map<string, number> }

type Load = {
  /** Sends a request. @returns what came of it, `200` for success */
  send(): Promise<string>
  perSecond: number
}

/**
 * Sends requests at a steady pace, whether or not earlier ones are answered, until it is stopped: as callers do who know
 * nothing of each other.
 */
export function startLoad({ send, perSecond }: Load): { stop(): Promise<Outcome> } {
  const answers = new Map<string, number>()
  const underWay = new Set<Promise<void>>()
  let sent = 0
  let isOver = false
  const sendOne = async () => {
    sent += 1
    const answer = await send().catch((error: Error) => error.message)
    answers.set(answer, (answers.get(answer) ?? 0) + 1)
  }
  const sending = (async () => {
    const began = performance.now()
    while (!isOver) {
      const one = sendOne().finally(() => underWay.delete(one))
      underWay.add(one)
      await sleep(Math.max(0, began + (sent * 1_000) / perSecond - performance.now()))
    }
  })()
  return {
    async stop() {
      isOver = true
      await sending
      await Promise.all(underWay)
      return { sent, failed: sent - (answers.get('200') ?? 0), answers }
    },
  }
}

/**
 * An outcome in words.
 *
 * @param mayFail whether callers may be told that something is unavailable, and to try again
 * @throws Error when a request failed
 */
export function describeOutcome({ sent, failed, answers }: Outcome, mayFail: boolean): string {
  const wrong = [...answers.keys()].filter(
    (answer) => answer !== '200' && !(mayFail && answer.includes('unavailable')),
  )
  if (wrong.length > 0)
    throw new Error(`${failed} of ${sent} requests failed: ${JSON.stringify([...answers])}`)
  return failed === 0 ? `${sent} requests, 0 failed` : `${sent} requests, ${failed} unavailable`
}
