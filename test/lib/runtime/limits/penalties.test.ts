import { expect, test } from 'vitest'
import { createPenalties } from '../../../../lib/runtime/limits/penalties.ts'

const NEVER_ABORTED = new AbortController().signal

/** Creates penalties with a test clock. `timed` measures a wait; `isAtOnce` detects that there is no wait, even on a busy machine. */
function startPenalties() {
  const clock = { ms: 0 }
  const { wait } = createPenalties(() => clock.ms)
  const measureWait = async (caller: string) => {
    const startedAt = performance.now()
    await wait(caller, NEVER_ABORTED)
    return performance.now() - startedAt
  }
  const isAtOnce = async (caller: string) => {
    let isOver = false
    const waiting = wait(caller, NEVER_ABORTED).then(() => {
      isOver = true
    })
    await new Promise((resolve) => setImmediate(resolve))
    const wasOver = isOver
    await waiting
    return wasOver
  }
  return { clock, wait, timed: measureWait, isAtOnce }
}

test('the first ten refusals are sent at once, and each further refusal waits longer', async () => {
  const { timed: measureWait, isAtOnce } = startPenalties()
  for (let i = 0; i < 10; i++) expect(await isAtOnce('a')).toBe(true)
  expect(await measureWait('a')).toBeGreaterThan(45)
  expect(await measureWait('a')).toBeGreaterThan(95)
})

test('the refusals of one caller do not delay another caller', async () => {
  const { timed: measureWait, isAtOnce } = startPenalties()
  for (let i = 0; i < 12; i++) await measureWait('a')
  expect(await isAtOnce('b')).toBe(true)
})

test('refusals are forgotten after some seconds', async () => {
  const { clock, timed: measureWait, isAtOnce } = startPenalties()
  for (let i = 0; i < 12; i++) await measureWait('a')
  clock.ms += 10_000
  expect(await isAtOnce('a')).toBe(true)
})

test('the wait ends when the caller disconnects', async () => {
  const { timed: measureWait, wait } = startPenalties()
  for (let i = 0; i < 12; i++) await measureWait('a')
  const caller = new AbortController()
  const startedAt = performance.now()
  const waits = Array.from({ length: 30 }, () => wait('a', caller.signal))
  caller.abort()
  await Promise.all(waits)
  expect(performance.now() - startedAt).toBeLessThan(500)
})
