import { setTimeout as sleep } from 'node:timers/promises'

/** The responses to a load, by outcome. */
export type Outcome = { requestCount: number; failureCount: number; responses: Map<string, number> }

type Load = {
  /** Sends a request. @returns its outcome: `200`, or an error */
  send(): Promise<string>
  perSecond: number
}

/** Sends requests at a steady pace until it is stopped. Like independent callers, it does not wait for earlier responses. */
export function startLoad({ send, perSecond }: Load): { stop(): Promise<Outcome> } {
  const responses = new Map<string, number>()
  const pending = new Set<Promise<void>>()
  let requestCount = 0
  let isStopped = false
  const sendOne = async () => {
    requestCount += 1
    const outcome = await send().catch((error: Error) => error.message)
    responses.set(outcome, (responses.get(outcome) ?? 0) + 1)
  }
  const sending = (async () => {
    const startTime = performance.now()
    while (!isStopped) {
      const request = sendOne().finally(() => pending.delete(request))
      pending.add(request)
      await sleep(Math.max(0, startTime + (requestCount * 1_000) / perSecond - performance.now()))
    }
  })()
  return {
    async stop() {
      isStopped = true
      await sending
      await Promise.all(pending)
      const failureCount = requestCount - (responses.get('200') ?? 0)
      return { requestCount, failureCount, responses }
    },
  }
}

/**
 * Describes an outcome for the table.
 *
 * @param mayFail if true, requests may fail with an error that something is unavailable
 * @throws Error if another request failed
 */
export function describeOutcome(
  { requestCount, failureCount, responses }: Outcome,
  mayFail: boolean,
): string {
  const failures = [...responses.keys()].filter(
    (outcome) => outcome !== '200' && !(mayFail && outcome.includes('unavailable')),
  )
  if (failures.length > 0)
    throw new Error(
      `${failureCount} of ${requestCount} requests failed: ${JSON.stringify([...responses])}`,
    )
  return failureCount === 0
    ? `${requestCount} requests, 0 failed`
    : `${requestCount} requests, ${failureCount} unavailable`
}
