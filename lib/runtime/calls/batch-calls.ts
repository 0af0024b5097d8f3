import DataLoader from 'dataloader'

type Options = {
  /** The most questions in a call. */
  maxBatch: number
  /** The most calls at a time; further questions wait and are batched. Unlimited by default. */
  maxUnderWay?: number
  /**
   * The longest wait for running calls. After that, the batch exceeds `maxUnderWay` and is sent. Unlimited by default.
   */
  maxWaitMs?: number
  /** How long a question waits for further questions; by default until the current turn of the event loop ends. */
  waitMs?: () => number
}

/**
 * Batches questions that arrive together into one call. Under load, up to `maxBatch` questions share a round trip. By
 * default, an idle caller sends a question at the end of the current turn of the event loop.
 *
 * A question never joins a call that has begun, so no answer is older than its question.
 *
 * @param ask returns the answers in the order of the questions; an Error rejects only its question
 */
export function batchCalls<Question, Answer>(
  ask: (questions: readonly Question[]) => Promise<readonly (Answer | Error)[]>,
  { maxBatch, maxUnderWay = Number.POSITIVE_INFINITY, maxWaitMs, waitMs = () => 0 }: Options,
): (question: Question) => Promise<Answer> {
  const waitingSends = new Set<() => void>()
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
      waitingSends.delete(endWait)
      send()
    }
    const timer = maxWaitMs === undefined ? undefined : setTimeout(endWait, maxWaitMs)
    waitingSends.add(endWait)
  }

  async function askInTurn(questions: readonly Question[]) {
    underWay++
    try {
      return await ask(questions)
    } finally {
      underWay--
      const [endFirstWait] = waitingSends
      if (underWay < maxUnderWay) endFirstWait?.()
    }
  }
}
