import { poseidon1 } from 'poseidon-lite/poseidon1'
import { poseidon2 } from 'poseidon-lite/poseidon2'
import { poseidon3 } from 'poseidon-lite/poseidon3'
import { poseidon4 } from 'poseidon-lite/poseidon4'
import { hashToField } from '../../../lib/proof/encoding.ts'
import {
  CREDENTIAL_NAMES,
  CREDENTIALS,
  type CredentialName,
} from '../../../lib/proof/protocol-4/credentials.ts'
import type { SessionId } from '../../../lib/proof/protocol-4/session-id.ts'

/** A credential of a simulated person. Times are in seconds since the epoch. */
export type Credential = {
  name: CredentialName
  issuerSchemaId: bigint
  /** The time at which the issuer first gave this credential to the person. */
  genesisIssuedAt: bigint
  expiresAt: bigint
}

/** A simulated person of protocol 4.0. */
export type Holder = { secret: bigint; credentials: readonly Credential[] }

const seconds = (date: string) => BigInt(Date.parse(`${date}T00:00:00Z`) / 1000)

const VALID = { genesisIssuedAt: seconds('2024-01-01'), expiresAt: seconds('2100-01-01') }

/** People with special names have other credentials than all other people. */
const SPECIAL_PEOPLE = {
  'no-documents': { names: ['proof_of_human', 'selfie'], ...VALID },
  'passport-only': { names: ['passport'], ...VALID },
  expired: { names: CREDENTIAL_NAMES, ...VALID, expiresAt: seconds('2025-01-01') },
  recent: { names: CREDENTIAL_NAMES, ...VALID, genesisIssuedAt: seconds('2026-01-01') },
  legacy: { names: [], ...VALID },
} as const

export const SPECIAL_NAMES = Object.keys(SPECIAL_PEOPLE)

/**
 * Returns the simulated person of a seed, with the person's credentials.
 *
 * A special name may end with a number: `no-documents-2` is another person with the same credentials as `no-documents`.
 */
export function simulatedHolder(seed: string): Holder {
  const baseName = seed.replace(/-\d+$/, '')
  const special = Object.entries(SPECIAL_PEOPLE).find(([name]) => name === baseName)?.[1]
  const { names, ...times } = special ?? { names: CREDENTIAL_NAMES, ...VALID }
  return {
    secret: hashToField(`secret of ${seed}`),
    credentials: names.map((name) => ({ name, issuerSchemaId: CREDENTIALS[name], ...times })),
  }
}

/** Returns the leaf of a credential in the tree of credentials. */
export function credentialLeaf(secret: bigint, credential: Credential): bigint {
  const { issuerSchemaId, expiresAt, genesisIssuedAt } = credential
  return poseidon4([poseidon1([secret]), issuerSchemaId, expiresAt, genesisIssuedAt])
}

/** Returns the nullifier of a person for an action of a relying party. */
export function holderNullifier(secret: bigint, rpId: bigint, action: bigint): bigint {
  return poseidon3([secret, rpId, action])
}

/** Returns the value with which a person opens a session. Only the person can derive it from the seed of the session. */
export function sessionRandomness(secret: bigint, rpId: bigint, oprfSeed: bigint): bigint {
  return poseidon3([secret, rpId, oprfSeed])
}

/** Returns the id of a person's session with a relying party. */
export function holderSession(secret: bigint, rpId: bigint, oprfSeed: bigint): SessionId {
  const commitment = poseidon2([secret, sessionRandomness(secret, rpId, oprfSeed)])
  return { commitment, oprfSeed }
}
