import { describe, expect, test } from 'vitest'
import { createCredentialGate } from '../../../../lib/runtime/limits/credential-gate.ts'
import { TooBusy } from '../../../../lib/runtime/too-busy.ts'

/** Creates a gate with a test clock. */
function startGate() {
  const clock = { ms: 0 }
  const gate = createCredentialGate(() => clock.ms)
  const bearer = (credentials: string, address = '192.0.2.1') => ({ credentials, address })
  const fail = (times: number, address?: string) => {
    for (let n = 0; n < times; n++) gate.settle(bearer(`guess ${n}`, address), 'wrong')
  }
  /** Resolves to true if a try with these credentials does not wait. */
  const begins = async (credentials: string, address?: string) => {
    const entry = gate.enter(bearer(credentials, address)).then(() => true)
    entry.catch(() => {})
    return Promise.race([entry, new Promise((resolve) => setImmediate(resolve, false))])
  }
  return { clock, gate, bearer, fail, begins }
}

describe('many wrong credentials slow down an address', () => {
  test('unknown credentials are tried one at a time', async () => {
    const { gate, bearer, fail, begins } = startGate()
    fail(20)
    const leave = await gate.enter(bearer('first'))
    expect(await begins('second')).toBe(false)
    leave()
    expect(await begins('third')).toBe(false)
  })

  test('credentials that were right never wait, unless they become wrong', async () => {
    const { gate, bearer, fail, begins } = startGate()
    gate.settle(bearer('right key'), 'right')
    fail(30)
    await gate.enter(bearer('a guess'))
    for (let n = 0; n < 10; n++) expect(await begins('right key')).toBe(true)
    gate.settle(bearer('right key'), 'wrong')
    expect(await begins('right key')).toBe(false)
  })

  test('unknown credentials are refused if more than twenty tries of their address wait', async () => {
    const { gate, bearer, fail } = startGate()
    fail(20)
    const flood = Array.from({ length: 50 }, (_, n) => gate.enter(bearer(`guess ${n}`)))
    for (const each of flood) each.catch(() => {})
    const results = Promise.allSettled(flood.slice(21))
    for (const { status } of await results) expect(status).toBe('rejected')
    await expect(flood.at(-1)).rejects.toThrow(TooBusy)
  })

  test('the failures of an address are forgotten after a while', async () => {
    const { clock, fail, begins, gate, bearer } = startGate()
    fail(30)
    await gate.enter(bearer('a guess'))
    clock.ms += 10_000
    expect(await begins('another')).toBe(true)
  })
})

test('the failures of one address do not slow down another address', async () => {
  const { gate, bearer, fail, begins } = startGate()
  fail(30)
  await gate.enter(bearer('a guess'))
  expect(await begins('a guess', '192.0.2.2')).toBe(true)
})

test('nineteen wrong credentials cause no wait', async () => {
  const { fail, begins } = startGate()
  fail(19)
  for (let n = 0; n < 30; n++) expect(await begins(`new ${n}`)).toBe(true)
})

test('a try that ends before its credentials are checked counts as a failure, unless the credentials were right before', async () => {
  const { gate, bearer, begins } = startGate()
  gate.settle(bearer('right key'), 'right')
  for (let n = 0; n < 30; n++) gate.settle(bearer('right key'), 'unknown')
  await gate.enter(bearer('guess'))
  expect(await begins('another')).toBe(true)
  for (let n = 0; n < 20; n++) gate.settle(bearer(`guess ${n}`), 'unknown')
  await gate.enter(bearer('guess'))
  expect(await begins('another')).toBe(false)
})
