import DataLoader from 'dataloader'

type Options = {
  /** Questions of one call. */
  maxBatch: number
  /** Calls at one time; meanwhile questions wait, and come together. */
  maxUnderWay: number
}

/**
 * Questions of one moment share a call: alone, a question costs what it always did; under load, a
 * hundred of them cost one round trip.
 *
 * Each is part of a call that begins after it was asked, so no answer is older than its question.
 *
 * @param ask answers in the order of the questions; an Error is thrown at whoever asked that one
 */
export function shareCalls<Question, Answer>(
  ask: (questions: readonly Question[]) => Promise<readonly (Answer | Error)[]>,
  { maxBatch, maxUnderWay }: Options,
): (question: Question) => Promise<Answer> {
  const waiting: (() => void)[] = []
  let underWay = 0
  const loader = new DataLoader<Question, Answer>(askInTurn, {
    cache: false,
    maxBatchSize: maxBatch,
    batchScheduleFn: (send) => void setImmediate(sendInTurn, send),
  })
  return (question) => loader.load(question)

  function sendInTurn(send: () => void) {
    if (underWay < maxUnderWay) send()
    else waiting.push(send)
  }

  async function askInTurn(questions: readonly Question[]) {
    underWay++
    try {
      return await ask(questions)
    } finally {
      underWay--
      waiting.shift()?.()
    }
  }
}
