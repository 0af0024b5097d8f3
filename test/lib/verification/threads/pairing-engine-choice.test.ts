import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { protocol4Proof } from '../../../../lib/proof/examples/protocol-4-proofs.ts'
import { realProof } from '../../../../lib/proof/examples/real-proofs.ts'
import { ceremonyKeys } from '../../../../lib/proof/keys.ts'
import type { KeyTables } from '../../../../lib/proof/pairing/groth16/key-tables.ts'
import { requireValue } from '../../../../lib/runtime/require-value.ts'
import { createCheckedVerifier } from '../../../../lib/verification/threads/checked-verifier.ts'
import { startGroth16Pool } from '../../../../lib/verification/threads/groth16-pool.ts'
import type { PairingEvent } from '../../../../lib/verification/threads/pairing-events.ts'
import {
  type SharedPairingEngine,
  sharePairingEngine,
} from '../../../../lib/verification/threads/shared-pairing-engine.ts'
import { START_CACHE } from '../../../support/start-cache.ts'

const { decoded: proof, signals, key: keyName } = realProof('hola-mundo')
const valid = { keyNames: [keyName], proof, signals }
const wrong = { ...valid, proof: { ...proof, c: proof.a } }

function requirePairingEngine(): SharedPairingEngine {
  const engine = sharePairingEngine(ceremonyKeys)
  if (engine === null) throw new Error('This machine cannot run the pairing engine.')
  return engine
}

/** Copies tables into separate memory, so that a test may corrupt them. */
function copyOf(tables: KeyTables): KeyTables {
  const copy = (floats: Float64Array) => new Float64Array(floats)
  return {
    alphaBeta: copy(tables.alphaBeta),
    gammaLines: copy(tables.gammaLines),
    deltaLines: copy(tables.deltaLines),
    inputs: {
      ...tables.inputs,
      points: copy(tables.inputs.points),
      start: copy(tables.inputs.start),
    },
  }
}

/** Creates a verifier with a pairing engine; `events` has its reports. */
async function verifierWith(
  engine: SharedPairingEngine | null,
  { crossCheckOneIn = 1_000_000, random = (): number => 0.5 } = {},
) {
  const events: PairingEvent[] = []
  const verify = await createCheckedVerifier({
    keys: ceremonyKeys,
    engine,
    crossCheckOneIn,
    report: (event) => events.push(event),
    random,
  })
  return { verify, events }
}

describe('a thread chooses the pairing engine or mcl-wasm', () => {
  test('a thread verifies with the pairing engine, and cross-checks a sample with mcl-wasm', async () => {
    let next = 0
    const { verify, events } = await verifierWith(requirePairingEngine(), {
      crossCheckOneIn: 10,
      random: () => (next++ % 10) / 10,
    })
    for (let i = 0; i < 30; i++) expect(await verify(i % 2 ? valid : wrong)).toBe(i % 2 === 1)
    expect(events).toEqual(Array.from({ length: 3 }, () => ({ event: 'cross_checked' })))
  })

  test('a thread uses mcl-wasm from the first disagreement on', async () => {
    const engine = requirePairingEngine()
    const corruptTables = copyOf(requireValue(engine.tables.get(keyName), 'the tables'))
    const { verify, events } = await verifierWith(
      { ...engine, tables: new Map([[keyName, corruptTables]]) },
      { crossCheckOneIn: 1 },
    )
    expect(await verify(valid)).toBe(true)
    // Corrupts the points of the inputs, which the verifier reads for each proof.
    corruptTables.inputs.points.set(corruptTables.inputs.points.map((limb) => limb + 1))
    expect([await verify(valid), await verify(valid), await verify(wrong)]).toEqual([
      true,
      true,
      false,
    ])
    expect(events).toEqual([
      { event: 'cross_checked' },
      { event: 'cross_checked' },
      { event: 'fell_back', reason: 'disagreement' },
    ])
  })

  /** Replaces the known cases of protocol 3.0 (index 0) or 4.0 (index 1). */
  function withSelfTest(index: number, change: (part: SelfTest) => SelfTest): SharedPairingEngine {
    const engine = requirePairingEngine()
    const part = requireValue(engine.selfTest[index], 'the known cases')
    return { ...engine, selfTest: engine.selfTest.with(index, change(part)) }
  }

  type SelfTest = SharedPairingEngine['selfTest'][number]

  const PROTOCOLS = [
    ['3.0', 0],
    ['4.0', 1],
  ] as const

  test.each(PROTOCOLS)(
    'a thread falls back to mcl-wasm if the pairing engine fails on a known case of protocol %s',
    async (_protocol, index) => {
      const engine = withSelfTest(index, ({ cases, ...part }) => {
        const tables = copyOf(part.tables)
        tables.alphaBeta[0] = 1
        return { tables, cases }
      })
      const { verify, events } = await verifierWith(engine)
      expect([await verify(valid), await verify(wrong)]).toEqual([true, false])
      expect(events).toEqual([{ event: 'fell_back', reason: 'known_case' }])
    },
  )

  test.each(PROTOCOLS)(
    'a thread falls back to mcl-wasm if the pairing engine has a wrong verdict about an invalid proof of protocol %s',
    async (_protocol, index) => {
      const engine = withSelfTest(index, ({ tables, cases }) => ({
        tables,
        cases: cases.map((each) => ({ ...each, isValid: true })),
      }))
      const { events } = await verifierWith(engine)
      expect(events).toEqual([{ event: 'fell_back', reason: 'known_case' }])
    },
  )

  test('a service without a key of protocol 4.0 has no known cases of it', () => {
    const keys = [...ceremonyKeys].filter(([, { ic }]) => ic.length === 5)
    expect(sharePairingEngine(new Map(keys))?.selfTest).toHaveLength(1)
    expect(sharePairingEngine(ceremonyKeys)?.selfTest).toHaveLength(2)
  })

  test('a thread cross-checks a compressed proof with the decompression of BigInt', async () => {
    const { verify, events } = await verifierWith(requirePairingEngine(), { crossCheckOneIn: 1 })
    const { compressed, signals } = protocol4Proof('session')
    const task = { keyNames: ['world-id-4'], proof: compressed, signals }
    expect(await verify(task)).toBe(true)
    expect(await verify({ ...task, signals: signals.with(0, 1n) })).toBe(false)
    expect(events).toEqual([{ event: 'cross_checked' }, { event: 'cross_checked' }])
  })

  test('a thread falls back to mcl-wasm without a pairing engine', async () => {
    const { verify, events } = await verifierWith(null)
    expect([await verify(valid), await verify(wrong)]).toEqual([true, false])
    expect(events).toEqual([{ event: 'fell_back', reason: 'unavailable' }])
  })
})

test('a pool reports the events of its threads', async () => {
  const events: PairingEvent[] = []
  const pool = startGroth16Pool(ceremonyKeys, {
    threads: 1,
    maxQueue: 10,
    crossCheckOneIn: 1,
    onPairingEvent: (event) => events.push(event),
  })
  expect(await pool.verify([keyName], proof, signals)).toBe(true)
  await expect.poll(() => events).toContainEqual({ event: 'cross_checked' })
  await pool.close()
})

describe('threads verify with unusual options of V8', () => {
  const program = fileURLToPath(
    new URL('../../../support/verification/verify-in-pool.ts', import.meta.url),
  )
  const run = async (...flags: string[]) => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      ...flags,
      ...START_CACHE,
      program,
    ])
    return JSON.parse(stdout)
  }

  test.each([
    ['the baseline compiler', '--liftoff-only'],
    ['the optimising compiler', '--no-liftoff'],
  ])('the pairing engine verifies with only %s', async (_compiler, flag) => {
    expect(await run(flag)).toEqual({ answers: [true, false], events: [] })
  })

  test('every thread verifies with mcl-wasm without fused multiply-add', async () => {
    expect(await run('--no-enable-fma3')).toEqual({
      answers: [true, false],
      events: process.arch === 'x64' ? [{ event: 'fell_back', reason: 'unavailable' }] : [],
    })
  })
})
