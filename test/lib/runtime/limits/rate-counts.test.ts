import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createHitCounts, type Hits } from '../../../../lib/runtime/limits/rate-counts.ts'

const MINUTE = 60_000
let clock = 0
let sums: Map<string, number>
let calls: Hits[][]
let isAway: boolean

beforeEach(() => {
  vi.useFakeTimers()
  clock = 10 * MINUTE
  sums = new Map()
  calls = []
  isAway = false
})
afterEach(() => vi.useRealTimers())

test('a thousand hits are settled in a single call', async () => {
  const counts = start()
  for (let i = 0; i < 1_000; i++) counts.hit('a', MINUTE)
  expect(calls).toEqual([])
  await vi.advanceTimersByTimeAsync(1_000)
  expect(calls).toEqual([[{ key: 'a', ends_at: new Date(11 * MINUTE).toISOString(), hits: 1_000 }]])
})

test('nothing is settled without hits', async () => {
  start()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(calls).toEqual([])
})

test('another instance counts a hit one interval later', async () => {
  const [first, second] = [start(), start()]
  for (let i = 0; i < 5; i++) first.hit('a', MINUTE)
  expect(second.hit('a', MINUTE).total).toBe(1)
  await vi.advanceTimersByTimeAsync(200)
  expect(second.hit('a', MINUTE).total).toBe(7)
})

test('hits that come during a settlement count once', async () => {
  const counts = start()
  counts.hit('a', MINUTE)
  await vi.advanceTimersByTimeAsync(100)
  counts.hit('a', MINUTE)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(counts.hit('a', MINUTE).total).toBe(3)
  await vi.advanceTimersByTimeAsync(1_000)
  expect([...sums.values()]).toEqual([3])
})

test('the count of a key restarts at the end of the time window', async () => {
  const counts = start()
  clock += MINUTE - 1
  expect(counts.hit('a', MINUTE)).toEqual({ total: 1, endsInMs: 1 })
  clock += 1
  expect(counts.hit('a', MINUTE)).toEqual({ total: 1, endsInMs: MINUTE })
})

test('while settling fails, an instance counts alone, reports the failure once, and settles later', async () => {
  const failures: unknown[] = []
  const counts = start({ onFailure: (error) => failures.push(error) })
  isAway = true
  for (let i = 0; i < 5; i++) {
    counts.hit('a', MINUTE)
    await vi.advanceTimersByTimeAsync(200)
  }
  expect(counts.hit('a', MINUTE).total).toBe(6)
  expect(failures).toHaveLength(1)
  isAway = false
  await vi.advanceTimersByTimeAsync(400)
  expect([...sums.values()]).toEqual([6])
})

test('at most maxKeys counts are kept, and the oldest is forgotten first', async () => {
  const counts = start({ maxKeys: 2 })
  for (const key of ['a', 'b', 'c']) counts.hit(key, MINUTE)
  expect(counts.hit('c', MINUTE).total).toBe(2)
  expect(counts.hit('a', MINUTE).total).toBe(1)
})

test('close settles the remaining hits', async () => {
  const counts = start()
  counts.hit('a', MINUTE)
  await counts.close()
  expect([...sums.values()]).toEqual([1])
})

function start(options: { maxKeys?: number; onFailure?: (error: unknown) => void } = {}) {
  return createHitCounts({
    settle,
    now: () => clock,
    intervalMs: 200,
    maxKeys: 100,
    onFailure: () => {},
    ...options,
  })
}

/** Imitates the database. */
async function settle(batch: Hits[]): Promise<Hits[]> {
  if (isAway) throw new Error('away')
  calls.push(batch)
  return batch.map(({ key, ends_at, hits }) => {
    const id = `${key} ${ends_at}`
    sums.set(id, (sums.get(id) ?? 0) + hits)
    return { key, ends_at: ends_at.replace('Z', '+00:00'), hits: sums.get(id) ?? 0 }
  })
}
