import DataLoader from 'dataloader'

type Options = {
  /** The largest number of questions in one call. */
  maxBatch: number
  /** The largest number of calls at a time; further questions wait, and are gathered meanwhile. Unlimited by default. */
  maxUnderWay?: number
  /** How long questions may wait because of calls under way; after that they are asked all the same. Unlimited by default. */
  maxWaitMs?: number
  /** How long a question may wait for others now; by default until the current turn of the event loop ends. */
  waitMs?: () => number
}

/**
 * Gathers questions that arrive together into one call. A question that arrives alone is asked at once; under load, a
 * hundred questions cost one round trip.
 *
 * A question is only added to a call that has not begun, so no answer is older than its question.
 *
 * @param ask answers in the order of the questions; an Error among them rejects that one question
 */
export function batchCalls<Question, Answer>(
  ask: (questions: readonly Question[]) => Promise<readonly (Answer | Error)[]>,
  { maxBatch, maxUnderWay = Number.POSITIVE_INFINITY, maxWaitMs, waitMs = () => 0 }: Options,
): (question: Question) => Promise<Answer> {
  const waiting = new Set<() => void>()
  let underWay = 0
  const loader = new DataLoader<Question, Answer>(askInTurn, {
    cache: false,
    maxBatchSize: maxBatch,
    batchScheduleFn: schedule,
  })
  return (question) => loader.load(question)

  function schedule(send: () => void) {
    const ms = waitMs()
    if (ms < 1) setImmediate(sendInTurn, send)
    else setTimeout(sendInTurn, ms, send)
  }

  function sendInTurn(send: () => void) {
    if (underWay < maxUnderWay) return send()
    const endWait = () => {
      clearTimeout(timer)
      waiting.delete(endWait)
      send()
    }
    const timer = maxWaitMs === undefined ? undefined : setTimeout(endWait, maxWaitMs)
    waiting.add(endWait)
  }

  async function askInTurn(questions: readonly Question[]) {
    underWay++
    try {
      return await ask(questions)
    } finally {
      underWay--
      const [endFirstWait] = waiting
      if (underWay < maxUnderWay) endFirstWait?.()
    }
  }
}
