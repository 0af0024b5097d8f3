import { afterEach, expect, test, vi } from 'vitest'
import { createGatherer } from '../../../../lib/verification/record/gather-calls.ts'

afterEach(() => void vi.useRealTimers())

/** Doubles numbers, and remembers which it was asked together. */
function doubling(waitMs: number) {
  const calls: number[][] = []
  const double = createGatherer(() => waitMs)(async (numbers: readonly number[]) => {
    calls.push([...numbers])
    return numbers.map((number) => 2 * number)
  })
  return { double, calls }
}

test('an idle service calls at once, with whoever came in the same moment', async () => {
  const { double, calls } = doubling(0)
  expect(await Promise.all([double(1), double(2)])).toEqual([2, 4])
  expect(await double(3)).toBe(6)
  expect(calls).toEqual([[1, 2], [3]])
})

test('while the service is busy, those that come close together share a call', async () => {
  vi.useFakeTimers()
  const { double, calls } = doubling(20)
  const first = double(1)
  await vi.advanceTimersByTimeAsync(19)
  const both = Promise.all([first, double(2)])
  await vi.advanceTimersByTimeAsync(1)
  expect(await both).toEqual([2, 4])
  expect(calls).toEqual([[1, 2]])
})

test('the same question asked twice is asked twice: each may change what the next finds', async () => {
  const { double, calls } = doubling(0)
  expect(await Promise.all([double(1), double(1)])).toEqual([2, 2])
  expect(calls).toEqual([[1, 1]])
})

test('nobody waits longer than 20 ms, however much there is to do', async () => {
  vi.useFakeTimers()
  const { double, calls } = doubling(10_000)
  const answer = double(1)
  await vi.advanceTimersByTimeAsync(20)
  expect(calls).toEqual([[1]])
  expect(await answer).toBe(2)
})

test('while a call is under way, others wait for its answer, for at most 20 ms, and go together', async () => {
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

test('no call is longer than 32', async () => {
  const { double, calls } = doubling(20)
  await Promise.all(Array.from({ length: 70 }, (_, n) => double(n)))
  expect(calls.map((call) => call.length)).toEqual([32, 32, 6])
})

test('a call that fails fails for all who shared it, and for nobody after them', async () => {
  let isBroken = true
  const ask = createGatherer(() => 0)(async (inputs: readonly number[]) => {
    if (isBroken) throw new Error('away')
    return inputs
  })
  const settled = await Promise.allSettled([ask(1), ask(2)])
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  isBroken = false
  expect(await ask(1)).toBe(1)
})
