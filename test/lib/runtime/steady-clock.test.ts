import { LRUCache } from 'lru-cache'
import { expect, test } from 'vitest'
import { createSteadyClock } from '../../../lib/runtime/steady-clock.ts'

test('the steady clock follows its source, and does not go back when the source is set back', () => {
  const clock = { now: 1_000 }
  const now = createSteadyClock(() => clock.now)
  const times = [2_000, 5_000, 1_000, 1_500, 1_200, 9_000].map((time) => {
    clock.now = time
    return now()
  })
  expect(times).toEqual([2_000, 5_000, 5_000, 5_500, 5_500, 13_300])
})

test('a cache entry does not outlive its time when the clock is set back', () => {
  const clock = { now: 3_600_000 }
  const perf = { now: createSteadyClock(() => clock.now) }
  const cache = new LRUCache<string, true>({ max: 1, ttl: 3_000, ttlResolution: 0, perf })
  cache.set('app', true)
  clock.now -= 3_600_000
  expect(cache.has('app')).toBe(true)
  clock.now += 3_001
  expect(cache.has('app')).toBe(false)
})
