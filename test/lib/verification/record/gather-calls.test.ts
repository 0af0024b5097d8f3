import { afterEach, expect, test, vi } from 'vitest'
import { createGatherer } from '../../../../lib/verification/record/gather-calls.ts'

afterEach(() => void vi.useRealTimers())

/** Creates a batched function that doubles numbers. `calls` has the numbers of each call. */
function createDoubler(waitMs: number) {
  const calls: number[][] = []
  const double = createGatherer(() => waitMs)(async (numbers: readonly number[]) => {
    calls.push([...numbers])
    return numbers.map((number) => 2 * number)
  })
  return { double, calls }
}

test('an idle service calls at once, with all inputs of the same moment', async () => {
  const { double, calls } = createDoubler(0)
  expect(await Promise.all([double(1), double(2)])).toEqual([2, 4])
  expect(await double(3)).toBe(6)
  expect(calls).toEqual([[1, 2], [3]])
})

test('while the service is busy, inputs that come close together share a call', async () => {
  vi.useFakeTimers()
  const { double, calls } = createDoubler(20)
  const first = double(1)
  await vi.advanceTimersByTimeAsync(19)
  const results = Promise.all([first, double(2)])
  await vi.advanceTimersByTimeAsync(1)
  expect(await results).toEqual([2, 4])
  expect(calls).toEqual([[1, 2]])
})

test('two equal inputs are both in the call, since the first may change the result of the second', async () => {
  const { double, calls } = createDoubler(0)
  expect(await Promise.all([double(1), double(1)])).toEqual([2, 2])
  expect(calls).toEqual([[1, 1]])
})

test('an input waits at most 20 ms, even under heavy load', async () => {
  vi.useFakeTimers()
  const { double, calls } = createDoubler(10_000)
  const answer = double(1)
  await vi.advanceTimersByTimeAsync(20)
  expect(calls).toEqual([[1]])
  expect(await answer).toBe(2)
})

test('inputs wait at most 20 ms for a call under way, and then share a call', async () => {
  vi.useFakeTimers()
  const calls: number[][] = []
  const answers: (() => void)[] = []
  const ask = createGatherer(() => 0)((numbers: readonly number[]) => {
    calls.push([...numbers])
    return new Promise<readonly number[]>((resolve) => answers.push(() => resolve(numbers)))
  })
  const askSoon = async (number: number) => {
    void ask(number)
    await vi.advanceTimersByTimeAsync(1)
  }
  for (const number of [1, 2, 3]) await askSoon(number)
  expect(calls).toEqual([[1]])
  answers[0]?.()
  await vi.advanceTimersByTimeAsync(1)
  expect(calls).toEqual([[1], [2, 3]])
  await askSoon(4)
  expect(calls).toHaveLength(2)
  await vi.advanceTimersByTimeAsync(20)
  expect(calls).toEqual([[1], [2, 3], [4]])
})

test('a call has at most 32 inputs', async () => {
  const { double, calls } = createDoubler(20)
  await Promise.all(Array.from({ length: 70 }, (_, n) => double(n)))
  expect(calls.map((call) => call.length)).toEqual([32, 32, 6])
})

test('a failed call rejects all of its inputs, and no later input', async () => {
  let isBroken = true
  const ask = createGatherer(() => 0)(async (inputs: readonly number[]) => {
    if (isBroken) throw new Error('away')
    return inputs
  })
  const results = await Promise.allSettled([ask(1), ask(2)])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  isBroken = false
  expect(await ask(1)).toBe(1)
})
