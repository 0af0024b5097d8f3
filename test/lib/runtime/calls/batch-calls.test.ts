import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import { batchCalls } from '../../../../lib/runtime/calls/batch-calls.ts'

afterEach(() => void vi.useRealTimers())

/** Answers each question with itself, on demand; `calls` are those that have begun. */
function slowEcho(maxWaitMs?: number) {
  const calls: { questions: readonly number[]; answer: () => void }[] = []
  const ask = batchCalls(
    (questions: readonly number[]) =>
      new Promise<readonly number[]>((resolve) => {
        calls.push({ questions, answer: () => resolve(questions) })
      }),
    { maxBatch: 100, maxUnderWay: 2, ...(maxWaitMs !== undefined && { maxWaitMs }) },
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

test('calls that are never answered are waited for only so long', async () => {
  vi.useFakeTimers()
  const { ask, begun } = slowEcho(20)
  for (const question of [1, 2, 3, 4]) {
    void ask(question)
    await vi.advanceTimersByTimeAsync(1)
  }
  expect(begun()).toEqual([[1], [2]])
  await vi.advanceTimersByTimeAsync(20)
  expect(begun()).toEqual([[1], [2], [3, 4]])
})

test('those who waited too long make way for nobody before enough calls have ended', async () => {
  vi.useFakeTimers()
  const { ask, calls, begun } = slowEcho(20)
  for (const question of [1, 2, 3]) {
    void ask(question)
    await vi.advanceTimersByTimeAsync(1)
  }
  await vi.advanceTimersByTimeAsync(20)
  void ask(4)
  await vi.advanceTimersByTimeAsync(1)
  calls[0]?.answer()
  await vi.advanceTimersByTimeAsync(1)
  expect(begun()).toEqual([[1], [2], [3]])
  calls[1]?.answer()
  await vi.advanceTimersByTimeAsync(1)
  expect(begun()).toEqual([[1], [2], [3], [4]])
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
