import { expect, test } from 'vitest'
import { createPenalties } from '../../../../lib/runtime/limits/penalties.ts'

const STAYS = new AbortController().signal

/** Penalties with a clock, a way to measure a wait, and a way to see that there is none, however busy the machine is. */
function startPenalties() {
  const clock = { ms: 0 }
  const { wait } = createPenalties(() => clock.ms)
  const timed = async (caller: string) => {
    const began = performance.now()
    await wait(caller, STAYS)
    return performance.now() - began
  }
  const isAtOnce = async (caller: string) => {
    let isOver = false
    const waiting = wait(caller, STAYS).then(() => {
      isOver = true
    })
    await new Promise((resolve) => setImmediate(resolve))
    const wasOver = isOver
    await waiting
    return wasOver
  }
  return { clock, wait, timed, isAtOnce }
}

test('the first refusals are told at once, and then each later than the one before', async () => {
  const { timed, isAtOnce } = startPenalties()
  for (let i = 0; i < 10; i++) expect(await isAtOnce('a')).toBe(true)
  expect(await timed('a')).toBeGreaterThan(45)
  expect(await timed('a')).toBeGreaterThan(95)
})

test('whoever else is refused does not wait', async () => {
  const { timed, isAtOnce } = startPenalties()
  for (let i = 0; i < 12; i++) await timed('a')
  expect(await isAtOnce('b')).toBe(true)
})

test('refusals are forgotten after some seconds', async () => {
  const { clock, timed, isAtOnce } = startPenalties()
  for (let i = 0; i < 12; i++) await timed('a')
  clock.ms += 10_000
  expect(await isAtOnce('a')).toBe(true)
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
