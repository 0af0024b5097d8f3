import { describe, expect, test } from 'vitest'
import { createCredentialGate } from '../../../../lib/runtime/limits/credential-gate.ts'
import { TooBusy } from '../../../../lib/runtime/too-busy.ts'

/** A gate with a clock of its own. */
function startGate() {
  const clock = { ms: 0 }
  const gate = createCredentialGate(() => clock.ms)
  const bearer = (credentials: string, address = '192.0.2.1') => ({ credentials, address })
  const fail = (times: number, address?: string) => {
    for (let n = 0; n < times; n++) gate.settle(bearer(`guess ${n}`, address), 'wrong')
  }
  /** Whether a try begins now, without waiting for others. */
  const begins = async (credentials: string, address?: string) => {
    const entered = gate.enter(bearer(credentials, address)).then(() => true)
    entered.catch(() => {})
    return Promise.race([entered, new Promise((resolve) => setImmediate(resolve, false))])
  }
  return { clock, gate, bearer, fail, begins }
}

describe('at an address with many wrong credentials', () => {
  test('unknown ones are tried one after another', async () => {
    const { gate, bearer, fail, begins } = startGate()
    fail(20)
    const leave = await gate.enter(bearer('first'))
    expect(await begins('second')).toBe(false)
    leave()
    expect(await begins('third')).toBe(false)
  })

  test('those that were right are let through, until they are wrong', async () => {
    const { gate, bearer, fail, begins } = startGate()
    gate.settle(bearer('mine'), 'right')
    fail(30)
    await gate.enter(bearer('a guess'))
    for (let n = 0; n < 10; n++) expect(await begins('mine')).toBe(true)
    gate.settle(bearer('mine'), 'wrong')
    expect(await begins('mine')).toBe(false)
  })

  test('a flood of unknown ones is refused', async () => {
    const { gate, bearer, fail } = startGate()
    fail(20)
    const flood = Array.from({ length: 50 }, (_, n) => gate.enter(bearer(`guess ${n}`)))
    for (const each of flood) each.catch(() => {})
    const refused = Promise.allSettled(flood.slice(21))
    for (const { status } of await refused) expect(status).toBe('rejected')
    await expect(flood.at(-1)).rejects.toThrow(TooBusy)
  })

  test('it is as before after a while', async () => {
    const { clock, fail, begins, gate, bearer } = startGate()
    fail(30)
    await gate.enter(bearer('a guess'))
    clock.ms += 10_000
    expect(await begins('another')).toBe(true)
  })
})

test('the failures of one address are not those of another', async () => {
  const { gate, bearer, fail, begins } = startGate()
  fail(30)
  await gate.enter(bearer('a guess'))
  expect(await begins('a guess', '192.0.2.2')).toBe(true)
})

test('a few wrong credentials are no flood', async () => {
  const { fail, begins } = startGate()
  fail(19)
  for (let n = 0; n < 30; n++) expect(await begins(`new ${n}`)).toBe(true)
})

test('requests that end before anybody looks at unknown credentials count, those of known ones do not', async () => {
  const { gate, bearer, begins } = startGate()
  gate.settle(bearer('mine'), 'right')
  for (let n = 0; n < 30; n++) gate.settle(bearer('mine'), 'unknown')
  await gate.enter(bearer('guess'))
  expect(await begins('another')).toBe(true)
  for (let n = 0; n < 20; n++) gate.settle(bearer(`guess ${n}`), 'unknown')
  await gate.enter(bearer('guess'))
  expect(await begins('another')).toBe(false)
})
