import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import { batchCalls } from '../../../../lib/runtime/calls/batch-calls.ts'

afterEach(() => void vi.useRealTimers())

/** Batches calls that echo their questions, on demand. `calls` are the calls that have begun. */
function slowEcho(maxWaitMs?: number) {
  const calls: { questions: readonly number[]; answer: () => void }[] = []
  const ask = batchCalls(
    (questions: readonly number[]) =>
      new Promise<readonly number[]>((resolve) => {
        calls.push({ questions, answer: () => resolve(questions) })
      }),
    { maxBatch: 100, maxUnderWay: 2, ...(maxWaitMs !== undefined && { maxWaitMs }) },
  )
  return { ask, calls, batches: () => calls.map(({ questions }) => questions) }
}

test('at most maxUnderWay calls run at a time, and the waiting questions share the next call', async () => {
  const { ask, calls, batches } = slowEcho()
  const answers: Promise<number>[] = []
  for (const question of [1, 2, 3, 4]) {
    answers.push(ask(question))
    await turn()
    await turn()
  }
  expect(batches()).toEqual([[1], [2]])
  calls[0]?.answer()
  await turn()
  expect(batches()).toEqual([[1], [2], [3, 4]])
  for (const { answer } of calls) answer()
  expect(await Promise.all(answers)).toEqual([1, 2, 3, 4])
})

test('questions wait at most maxWaitMs for calls that are never answered', async () => {
  vi.useFakeTimers()
  const { ask, batches } = slowEcho(20)
  for (const question of [1, 2, 3, 4]) {
    void ask(question)
    await vi.advanceTimersByTimeAsync(1)
  }
  expect(batches()).toEqual([[1], [2]])
  await vi.advanceTimersByTimeAsync(20)
  expect(batches()).toEqual([[1], [2], [3, 4]])
})

test('a call that began after maxWaitMs still counts as under way', async () => {
  vi.useFakeTimers()
  const { ask, calls, batches } = slowEcho(20)
  for (const question of [1, 2, 3]) {
    void ask(question)
    await vi.advanceTimersByTimeAsync(1)
  }
  await vi.advanceTimersByTimeAsync(20)
  void ask(4)
  await vi.advanceTimersByTimeAsync(1)
  calls[0]?.answer()
  await vi.advanceTimersByTimeAsync(1)
  expect(batches()).toEqual([[1], [2], [3]])
  calls[1]?.answer()
  await vi.advanceTimersByTimeAsync(1)
  expect(batches()).toEqual([[1], [2], [3], [4]])
})

test('an error rejects only its own question', async () => {
  const ask = batchCalls<number, number>(
    async (questions) => questions.map((n) => (n < 0 ? new Error('below zero') : Math.sqrt(n))),
    { maxBatch: 100, maxUnderWay: 1 },
  )
  const results = await Promise.allSettled([ask(4), ask(-1), ask(9)])
  expect(results.map((each) => (each.status === 'fulfilled' ? each.value : each.reason))).toEqual([
    2,
    new Error('below zero'),
    3,
  ])
})
