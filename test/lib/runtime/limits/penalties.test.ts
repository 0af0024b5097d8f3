import { expect, test } from 'vitest'
import { createPenalties } from '../../../../lib/runtime/limits/penalties.ts'

const STAYS = new AbortController().signal

/** Penalties with a clock of their own, and a way to measure a wait. */
function startPenalties() {
  const clock = { ms: 0 }
  const { wait } = createPenalties(() => clock.ms)
  const timed = async (caller: string) => {
    const began = performance.now()
    await wait(caller, STAYS)
    return performance.now() - began
  }
  return { clock, wait, timed }
}

test('the first refusals are told at once, and then each later than the one before', async () => {
  const { timed } = startPenalties()
  for (let i = 0; i < 10; i++) expect(await timed('a')).toBeLessThan(20)
  expect(await timed('a')).toBeGreaterThan(45)
  expect(await timed('a')).toBeGreaterThan(95)
})

test('whoever else is refused does not wait', async () => {
  const { timed } = startPenalties()
  for (let i = 0; i < 12; i++) await timed('a')
  expect(await timed('b')).toBeLessThan(20)
})

test('refusals are forgotten after some seconds', async () => {
  const { clock, timed } = startPenalties()
  for (let i = 0; i < 12; i++) await timed('a')
  clock.ms += 10_000
  expect(await timed('a')).toBeLessThan(20)
})

test('whoever goes away waits no longer', async () => {
  const { timed, wait } = startPenalties()
  for (let i = 0; i < 12; i++) await timed('a')
  const gone = new AbortController()
  const began = performance.now()
  const waits = Array.from({ length: 30 }, () => wait('a', gone.signal))
  gone.abort()
  await Promise.all(waits)
  expect(performance.now() - began).toBeLessThan(500)
})
