import { afterAll, beforeAll, expect, test } from 'vitest'
import { externalNullifier, formatField, hashToField } from '../../../lib/proof/encoding.ts'
import type { Groth16Pool } from '../../../lib/verification/threads/groth16-pool.ts'
import { developmentKey } from '../../../local/simulator/development-key/development-key.ts'
import type { DevelopmentKey } from '../../../local/simulator/development-key/key-files.ts'
import { personNullifierHash, simulatedIdentity } from '../../../local/simulator/identity.ts'
import { simulatedMember } from '../../../local/simulator/people.ts'
import { proveMembership } from '../../../local/simulator/prove.ts'
import { developmentPool, holds } from '../../support/simulator/development-proofs.ts'

const purpose = { appId: 'app_staging_1', action: 'vote', signal: '0xabc' }
let key: DevelopmentKey
let pool: Groth16Pool

beforeAll(async () => {
  key = await developmentKey()
  pool = await developmentPool(key)
})
afterAll(() => pool.close())

test('a proof of a simulated person is valid only for its purpose', async () => {
  const request = await proveMembership(simulatedMember('person-7'), purpose, key)
  expect(await holds(pool, request, purpose)).toBe(true)
  expect(await holds(pool, request, { ...purpose, action: 'vote again' })).toBe(false)
  expect(await holds(pool, request, { ...purpose, appId: 'app_staging_2' })).toBe(false)
  expect(request).toMatchObject({
    merkle_root: formatField(simulatedMember('person-0').group.root),
    nullifier_hash: formatField(
      personNullifierHash(
        simulatedIdentity('person-7'),
        externalNullifier('app_staging_1', 'vote'),
      ),
    ),
    signal_hash: formatField(hashToField('0xabc')),
    verification_level: 'orb',
    action: 'vote',
  })
})

test('a person who has just joined can make a valid proof', async () => {
  const request = await proveMembership(
    simulatedMember('anna'),
    { appId: 'app_staging_1', action: '' },
    key,
  )
  expect(await holds(pool, request, { appId: 'app_staging_1', action: '' })).toBe(true)
})

test('a person who is not a member of the group cannot make a proof', async () => {
  const stranger = { ...simulatedMember('person-7'), identity: simulatedIdentity('stranger') }
  await expect(proveMembership(stranger, purpose, key)).rejects.toThrow()
})
