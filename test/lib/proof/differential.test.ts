import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { curves, type SnarkjsKey, groth16 as snarkjs } from 'snarkjs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { protocol4Proof } from '../../../lib/proof/examples/protocol-4-proofs.ts'
import { realProof } from '../../../lib/proof/examples/real-proofs.ts'
import { modularInverse, modulo, p, r } from '../../../lib/proof/field.ts'
import ceremonyKey from '../../../lib/proof/keys/semaphore-v3-depth-30.json' with { type: 'json' }
import ceremonyKey4 from '../../../lib/proof/keys/world-id-4.json' with { type: 'json' }
import { parseVerificationKey } from '../../../lib/proof/keys.ts'
import type { Signals } from '../../../lib/proof/pairing/verification-key.ts'
import {
  type Groth16Pool,
  startGroth16Pool,
} from '../../../lib/verification/threads/groth16-pool.ts'
import {
  developmentKey,
  developmentKey4,
} from '../../../local/simulator/development-key/development-key.ts'
import { createForger, type Forger } from '../../../local/simulator/forge.ts'
import { proofForSnarkjs } from '../../../local/simulator/snarkjs-proof.ts'
import { type Case, variations } from '../../support/proof/variations.ts'

/** The rounds of each variation: 24 take some five seconds in total, mostly in the oracle. */
const ROUNDS = 24

const allVariations = await variations()

/** The only variations that keep a Groth16 proof valid. */
const HOLDS = ['nothing changed', 'A and B negated', 'A times k, B divided by k']

let keys: Record<string, SnarkjsKey>
let pool: Groth16Pool
let forge: Forger
let forge4: Forger

beforeAll(async () => {
  // The oracle is twice as fast without threads; the code is the same.
  globalThis.curve_bn128 = await curves.getCurveFromName('bn128', { singleThread: true })
  const development = await developmentKey()
  const development4 = await developmentKey4()
  keys = {
    ceremony: ceremonyKey,
    ceremony4: ceremonyKey4,
    development: JSON.parse(await readFile(development.verificationKeyFile, 'utf8')),
    development4: JSON.parse(await readFile(development4.verificationKeyFile, 'utf8')),
  }
  const parsedKeys = Object.entries(keys).map(
    ([name, key]) => [name, parseVerificationKey(key)] as const,
  )
  pool = startGroth16Pool(new Map(parsedKeys), { threads: 2, maxQueue: 1_000 })
  forge = await createForger(development)
  forge4 = await createForger(development4)
})
afterAll(() => pool.close())

describe('the pool and snarkjs agree on changed proofs', () => {
  test.each(Object.entries(allVariations))(
    'the pool and snarkjs give the same verdict about a proof with %s',
    async (name, vary) => {
      const random = randomNumbers(name)
      let validCount = 0
      for (let round = 0; round < ROUNDS; round++) {
        const variation = vary(await goodCase(round, random), random)
        const poolVerdict = pool.verify([variation.key], variation.proof, variation.signals)
        const verdict = isCanonical(variation) && (await oracle(variation))
        expect({ round, verdict: await poolVerdict }).toEqual({ round, verdict })
        validCount += Number(verdict)
      }
      expect(validCount).toBe(HOLDS.includes(name) ? ROUNDS : 0)
    },
    600_000,
  )
})

test('a proof is valid even if its signals and the constant of the key sum to zero', async () => {
  const factors = JSON.parse(await readFile((await developmentKey()).signalFactorsFile, 'utf8'))
  const signals = cancellingSignals(factors.map(BigInt))
  const proof = await forge.proof(signals)
  const cancelled = { key: 'development', proof, signals } as const
  expect(await pool.verify(['development'], proof, signals)).toBe(true)
  expect(await oracle(cancelled)).toBe(true)
})

/**
 * Makes a valid case. Every second case belongs to protocol 4.0. Every fourth case of a protocol is a public proof; the
 * development keys forge the others.
 */
async function goodCase(round: number, random: () => bigint): Promise<Case> {
  return round % 2 === 0 ? goodCase3(round / 2, random) : goodCase4((round - 1) / 2, random)
}

async function goodCase4(round: number, random: () => bigint): Promise<Case> {
  if (round % 4 === 3) {
    const { decoded, signals } = protocol4Proof(round % 8 === 3 ? 'uniqueness' : 'session')
    return { key: 'ceremony4', proof: decoded, signals }
  }
  const signals = Array.from({ length: 15 }, random)
  return { key: 'development4', proof: await forge4.proof(signals), signals }
}

async function goodCase3(round: number, random: () => bigint): Promise<Case> {
  if (round % 4 === 3) {
    const { decoded, signals } = realProof(round % 8 === 3 ? 'hola-mundo' : 'solidity-test-A')
    return { key: 'ceremony', proof: decoded, signals }
  }
  const signals = [random(), random(), random(), random()] as const
  return { key: 'development', proof: await forge.proof(signals), signals }
}

/** False for a number outside its field: snarkjs reduces the number, while the pool must reject it. */
function isCanonical({ proof: { a, b, c }, signals }: Case): boolean {
  const below = (modulus: bigint) => (n: bigint) => n >= 0n && n < modulus
  return [...a, ...b.flat(), ...c].every(below(p)) && signals.every(below(r))
}

function oracle({ key, proof, signals }: Case): Promise<boolean> {
  const verificationKey = keys[key]
  if (!verificationKey) throw new Error(`The oracle has no key named ${key}.`)
  return snarkjs
    .verify(verificationKey, signals.map(String), proofForSnarkjs(proof))
    .catch(() => false)
}

/** Chooses the last signal so that the constant and the signals sum to zero. */
function cancellingSignals(factors: readonly bigint[]): Signals {
  const [constant = 0n, k1 = 0n, k2 = 0n, k3 = 0n, k4 = 0n] = factors
  const last = modulo(-(constant + 5n * k1 + 6n * k2 + 7n * k3) * modularInverse(k4, r), r)
  return [5n, 6n, 7n, last]
}

/** Creates a seeded generator, with the same numbers in each run. */
function randomNumbers(seed: string): () => bigint {
  let count = 0
  return () => {
    count += 1
    const digest = createHash('sha512').update(`${seed} ${count}`).digest('hex')
    return BigInt(`0x${digest}`) % r
  }
}
