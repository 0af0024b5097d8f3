import { afterAll, beforeAll, expect, test } from 'vitest'
import { decodeProof } from '../../../lib/proof/examples/real-proofs.ts'
import { ceremonyKeys } from '../../../lib/proof/keys.ts'
import type { Groth16Pool } from '../../../lib/verification/threads/groth16-pool.ts'
import { startGroth16Pool } from '../../../lib/verification/threads/groth16-pool.ts'
import { developmentKey } from '../../../local/simulator/development-key/development-key.ts'
import { createForger, type Forger } from '../../../local/simulator/forge.ts'
import { developmentPool, holds } from '../../support/simulator/development-proofs.ts'

const purpose = { appId: 'app_staging_1', action: 'vote' }
let pool: Groth16Pool
let forge: Forger

beforeAll(async () => {
  const key = await developmentKey()
  pool = await developmentPool(key)
  forge = await createForger(key)
})
afterAll(() => pool.close())

test('100 forged proofs of different people are valid for the development key', async () => {
  const requests = await Promise.all(
    Array.from({ length: 100 }, (_, person) =>
      forge.request({ ...purpose, root: 5n, nullifierHash: BigInt(person) }),
    ),
  )
  const verdicts = await Promise.all(requests.map((request) => holds(pool, request, purpose)))
  expect(verdicts).toEqual(requests.map(() => true))
  expect(new Set(requests.map(({ proof }) => proof)).size).toBe(100)
})

test('a forged proof is bound to its signals like a real proof', async () => {
  const request = await forge.request({ ...purpose, root: 5n, nullifierHash: 6n })
  expect(await holds(pool, { ...request, nullifier_hash: '0x7' }, purpose)).toBe(false)
  expect(await holds(pool, request, { ...purpose, action: 'other' })).toBe(false)
})

test('no key of a real ceremony accepts a forged proof', async () => {
  const real = startGroth16Pool(ceremonyKeys, { threads: 1, maxQueue: 10 })
  const { proof } = await forge.request({ ...purpose, root: 5n, nullifierHash: 6n })
  expect(await real.verify([...ceremonyKeys.keys()], decodeProof(proof), [5n, 6n, 7n, 8n])).toBe(
    false,
  )
  await real.close()
})
