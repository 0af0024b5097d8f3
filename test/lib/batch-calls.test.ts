import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { batchCalls } from '../../lib/calls/batch-calls.ts'

/** Answers each question with itself, on demand; `calls` are those that have begun. */
function slowEcho() {
  const calls: { questions: readonly number[]; answer: () => void }[] = []
  const ask = batchCalls(
    (questions: readonly number[]) =>
      new Promise<readonly number[]>((resolve) => {
        calls.push({ questions, answer: () => resolve(questions) })
      }),
    { maxBatch: 100, maxUnderWay: 2 },
  )
  return { ask, calls, begun: () => calls.map(({ questions }) => questions) }
}

test('there are at most so many calls at one time, and who waits meanwhile comes together', async () => {
  const { ask, calls, begun } = slowEcho()
  const asked: Promise<number>[] = []
  for (const question of [1, 2, 3, 4]) {
    asked.push(ask(question))
    await turn()
    await turn()
  }
  expect(begun()).toEqual([[1], [2]])
  calls[0]?.answer()
  await turn()
  expect(begun()).toEqual([[1], [2], [3, 4]])
  for (const { answer } of calls) answer()
  expect(await Promise.all(asked)).toEqual([1, 2, 3, 4])
})

test('an error is for whoever asked that question alone', async () => {
  const ask = batchCalls<number, number>(
    async (questions) => questions.map((n) => (n < 0 ? new Error('below zero') : Math.sqrt(n))),
    { maxBatch: 100, maxUnderWay: 1 },
  )
  const settled = await Promise.allSettled([ask(4), ask(-1), ask(9)])
  expect(settled.map((each) => (each.status === 'fulfilled' ? each.value : each.reason))).toEqual([
    2,
    new Error('below zero'),
    3,
  ])
})
