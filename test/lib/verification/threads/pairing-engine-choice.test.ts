import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { realProof } from '../../../../lib/proof/examples/real-proofs.ts'
import { ceremonyKeys } from '../../../../lib/proof/keys.ts'
import type { KeyTables } from '../../../../lib/proof/pairing/groth16/key-tables.ts'
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

function ownEngine(): SharedPairingEngine {
  const engine = sharePairingEngine(ceremonyKeys)
  if (engine === null) throw new Error('The engine cannot be used on this machine.')
  return engine
}

/** The same tables in memory of their own, which a test may spoil. */
function copyOf(tables: KeyTables): KeyTables {
  const copied = (floats: Float64Array) => new Float64Array(floats)
  return {
    alphaBeta: copied(tables.alphaBeta),
    gammaLines: copied(tables.gammaLines),
    deltaLines: copied(tables.deltaLines),
    inputs: { points: copied(tables.inputs.points), start: copied(tables.inputs.start) },
  }
}

/** A verifier with an engine, and what it has told. */
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

describe('a thread', () => {
  test('verifies with the engine, and asks mcl-wasm about one proof in so many', async () => {
    let next = 0
    const { verify, events } = await verifierWith(ownEngine(), {
      crossCheckOneIn: 10,
      random: () => (next++ % 10) / 10,
    })
    for (let i = 0; i < 30; i++) expect(await verify(i % 2 ? valid : wrong)).toBe(i % 2 === 1)
    expect(events).toEqual(Array.from({ length: 3 }, () => ({ event: 'cross_checked' })))
  })

  test('takes the answer of mcl-wasm where they disagree, and from then on', async () => {
    const engine = ownEngine()
    const spoilt = copyOf(engine.known.tables)
    const { verify, events } = await verifierWith(
      { ...engine, tables: new Map([[keyName, spoilt]]) },
      { crossCheckOneIn: 1 },
    )
    expect(await verify(valid)).toBe(true)
    // The points of the inputs are read from shared memory: here one bit of each is not what it was.
    spoilt.inputs.points.set(spoilt.inputs.points.map((limb) => limb + 1))
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

  test('falls back to mcl-wasm when a known case is answered wrongly', async () => {
    const engine = ownEngine()
    const tables = copyOf(engine.known.tables)
    tables.alphaBeta[0] = 1
    const { verify, events } = await verifierWith({ ...engine, known: { ...engine.known, tables } })
    expect([await verify(valid), await verify(wrong)]).toEqual([true, false])
    expect(events).toEqual([{ event: 'fell_back', reason: 'known_case' }])
  })

  test('falls back when an engine accepts what it must refuse', async () => {
    const engine = ownEngine()
    const cases = engine.known.cases.map((each) => ({ ...each, holds: true }))
    const { events } = await verifierWith({ ...engine, known: { ...engine.known, cases } })
    expect(events).toEqual([{ event: 'fell_back', reason: 'known_case' }])
  })

  test('falls back where there is no engine', async () => {
    const { verify, events } = await verifierWith(null)
    expect([await verify(valid), await verify(wrong)]).toEqual([true, false])
    expect(events).toEqual([{ event: 'fell_back', reason: 'unavailable' }])
  })
})

test('a pool tells what happens in its threads', async () => {
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

describe('with V8 as it may be set,', () => {
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
    ['only the compiler that is fast to compile', '--liftoff-only'],
    ['only the compiler that makes fast code', '--no-liftoff'],
  ])('%s: the engine verifies', async (_which, flag) => {
    expect(await run(flag)).toEqual({ answers: [true, false], events: [] })
  })

  test('without fused multiply-add: mcl-wasm verifies, in each thread', async () => {
    expect(await run('--no-enable-fma3')).toEqual({
      answers: [true, false],
      events: process.arch === 'x64' ? [{ event: 'fell_back', reason: 'unavailable' }] : [],
    })
  })
})
