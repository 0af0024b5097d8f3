import { Writable } from 'node:stream'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { describe, expect, test } from 'vitest'
import {
  countCrossChecks,
  createCrossCheck,
} from '../../../../lib/verification/protocol-4/cross-check.ts'
import { fakeContracts } from '../../../support/verification/protocol-4.ts'

const numbers = {
  ...{ nullifier: 1n, action: 2n, rpId: 3n, nonce: 4n, signalHash: 5n, expiresAtMin: 6n },
  ...{ issuerSchemaId: 7n, credentialGenesisIssuedAtMin: 8n, sessionId: 0n },
  words: [1n, 2n, 3n, 4n, 5n],
} as const

/** Creates a cross-check of a contract that gives these answers, one after the other; an error means none. */
function scene(answers: (boolean | Error)[], { oneIn = 1, random = (): number => 0 } = {}) {
  const registry = new Registry()
  const logged: string[] = []
  const calls: string[] = []
  const stream = new Writable({
    write(chunk, _encoding, done) {
      const { level, msg } = JSON.parse(String(chunk))
      logged.push(`${pino.levels.labels[level]} ${msg}`)
      done()
    },
  })
  const accepts = async () => {
    calls.push('accepts')
    const answer = answers.shift()
    if (answer === undefined || answer instanceof Error) throw answer
    return answer
  }
  const contracts = fakeContracts({ accepts })
  const count = countCrossChecks(registry)
  const crossCheck = createCrossCheck({ contracts, oneIn, count, log: pino(stream), random })
  const check = (isAccepted: boolean, again: boolean[] = []) =>
    crossCheck({
      verifier: '0x',
      numbers,
      isAccepted,
      verifyAgain: async ({ secondsLater }) => {
        calls.push(`again ${secondsLater}`)
        const answer = again.shift()
        if (answer === undefined) throw new Error('the chain is away')
        return answer
      },
    })
  const settled = () => new Promise((resolve) => setTimeout(resolve, 10))
  async function counts() {
    await settled()
    const { values } = await requireMetric(registry).get()
    return Object.fromEntries(values.map(({ labels, value }) => [labels.answer, value]))
  }
  return { check, counts, calls, logged }
}

function requireMetric(registry: Registry) {
  const metric = registry.getSingleMetric('contract_cross_checks_total')
  if (metric === undefined) throw new Error('The metric is not registered.')
  return metric
}

describe('a proof in the sample is compared with the verifier contract', () => {
  test('the same verdict agrees, for valid and for invalid proofs', async () => {
    const { check, counts, logged } = scene([true, false])
    check(true)
    check(false)
    expect(await counts()).toEqual({ agrees: 2, differs: 0, unanswered: 0 })
    expect(logged).toEqual([])
  })

  test.each([true, false])(
    'a lasting difference about a proof that the service finds %s is counted, and logged as an error',
    async (isAccepted) => {
      const { check, counts, calls, logged } = scene([!isAccepted, !isAccepted])
      check(isAccepted, [isAccepted, isAccepted])
      expect(await counts()).toEqual({ agrees: 0, differs: 1, unanswered: 0 })
      expect(calls).toEqual(['accepts', 'again -120', 'accepts', 'again 120'])
      expect(logged).toEqual([
        'error the verifier contract and this service disagree about a proof of protocol 4.0',
      ])
    },
  )

  test('a verdict from an old cached fact is no difference', async () => {
    const { check, counts } = scene([false, false])
    check(true, [false, false])
    expect(await counts()).toEqual({ agrees: 1, differs: 0, unanswered: 0 })
  })

  test('a proof that expires at this moment is no difference', async () => {
    const { check, counts } = scene([false, false])
    check(true, [true, false])
    expect(await counts()).toEqual({ agrees: 1, differs: 0, unanswered: 0 })
  })

  test('a contract that does not answer is counted as unanswered', async () => {
    const { check, counts, logged } = scene([new Error('away')])
    check(true)
    expect(await counts()).toEqual({ agrees: 0, differs: 0, unanswered: 1 })
    expect(logged).toEqual(['warn the verifier contract did not answer a cross-check'])
  })

  test('a chain that fails during the second verification is counted as unanswered', async () => {
    const { check, counts } = scene([false])
    check(true)
    expect(await counts()).toEqual({ agrees: 0, differs: 0, unanswered: 1 })
  })
})

describe('the sample is small', () => {
  test('one proof in oneIn is in the sample', async () => {
    let next = 0
    const random = () => (next++ % 10) / 10
    const { check, counts, calls } = scene([true, true, true], { oneIn: 10, random })
    for (let i = 0; i < 30; i++) check(true)
    expect(await counts()).toMatchObject({ agrees: 3 })
    expect(calls).toHaveLength(3)
  })

  test('no proof is in the sample if oneIn is 0', async () => {
    const { check, counts, calls } = scene([true], { oneIn: 0 })
    check(true)
    expect(await counts()).toMatchObject({ agrees: 0 })
    expect(calls).toEqual([])
  })

  test('at most four cross-checks run at a time', async () => {
    const { check, counts, calls } = scene(Array.from({ length: 9 }, () => true))
    for (let i = 0; i < 9; i++) check(true)
    expect(await counts()).toMatchObject({ agrees: 4 })
    check(true)
    expect(await counts()).toMatchObject({ agrees: 5 })
    expect(calls).toHaveLength(5)
  })
})
