import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createHitCounts, type Hits } from '../../../../lib/runtime/limits/rate-counts.ts'

const MINUTE = 60_000
let clock = 0
let all: Map<string, number>
let calls: Hits[][]
let isAway: boolean

beforeEach(() => {
  vi.useFakeTimers()
  clock = 10 * MINUTE
  all = new Map()
  calls = []
  isAway = false
})
afterEach(() => vi.useRealTimers())

test('a thousand hits cost one call', async () => {
  const counts = start()
  for (let i = 0; i < 1_000; i++) counts.hit('a', MINUTE)
  expect(calls).toEqual([])
  await vi.advanceTimersByTimeAsync(1_000)
  expect(calls).toEqual([[{ key: 'a', ends_at: new Date(11 * MINUTE).toISOString(), hits: 1_000 }]])
})

test('no hits cost no call', async () => {
  start()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(calls).toEqual([])
})

test('another instance learns of a hit an interval later', async () => {
  const [one, other] = [start(), start()]
  for (let i = 0; i < 5; i++) one.hit('a', MINUTE)
  expect(other.hit('a', MINUTE).total).toBe(1)
  await vi.advanceTimersByTimeAsync(200)
  expect(other.hit('a', MINUTE).total).toBe(7)
})

test('hits that come while others are settled count once', async () => {
  const counts = start()
  counts.hit('a', MINUTE)
  await vi.advanceTimersByTimeAsync(100)
  counts.hit('a', MINUTE)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(counts.hit('a', MINUTE).total).toBe(3)
  await vi.advanceTimersByTimeAsync(1_000)
  expect([...all.values()]).toEqual([3])
})

test('a window ends for all at one time, and the next begins at nothing', async () => {
  const counts = start()
  clock += MINUTE - 1
  expect(counts.hit('a', MINUTE)).toEqual({ total: 1, endsInMs: 1 })
  clock += 1
  expect(counts.hit('a', MINUTE)).toEqual({ total: 1, endsInMs: MINUTE })
})

test('while settling fails an instance counts by itself, says so once, and settles later', async () => {
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
  expect([...all.values()]).toEqual([6])
})

test('so many keys are kept and no more, and the oldest is forgotten first', async () => {
  const counts = start({ maxKeys: 2 })
  for (const key of ['a', 'b', 'c']) counts.hit(key, MINUTE)
  expect(counts.hit('c', MINUTE).total).toBe(2)
  expect(counts.hit('a', MINUTE).total).toBe(1)
})

test('what is left is settled at the end', async () => {
  const counts = start()
  counts.hit('a', MINUTE)
  await counts.close()
  expect([...all.values()]).toEqual([1])
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

/** What the database does. */
async function settle(counted: Hits[]): Promise<Hits[]> {
  if (isAway) throw new Error('away')
  calls.push(counted)
  return counted.map(({ key, ends_at, hits }) => {
    const id = `${key} ${ends_at}`
    all.set(id, (all.get(id) ?? 0) + hits)
    return { key, ends_at: ends_at.replace('Z', '+00:00'), hits: all.get(id) ?? 0 }
  })
}
