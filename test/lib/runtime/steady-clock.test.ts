import { LRUCache } from 'lru-cache'
import { expect, test } from 'vitest'
import { createSteadyClock } from '../../../lib/runtime/steady-clock.ts'

test('time goes on as on the other clock, but for where that one is set back', () => {
  const clock = { now: 1_000 }
  const now = createSteadyClock(() => clock.now)
  const seen = [2_000, 5_000, 1_000, 1_500, 1_200, 9_000].map((time) => {
    clock.now = time
    return now()
  })
  expect(seen).toEqual([2_000, 5_000, 5_000, 5_500, 5_500, 13_300])
})

test('what is remembered for a time is not remembered for longer', () => {
  const clock = { now: 3_600_000 }
  const perf = { now: createSteadyClock(() => clock.now) }
  const remembered = new LRUCache<string, true>({ max: 1, ttl: 3_000, ttlResolution: 0, perf })
  remembered.set('app', true)
  clock.now -= 3_600_000
  expect(remembered.has('app')).toBe(true)
  clock.now += 3_001
  expect(remembered.has('app')).toBe(false)
})
