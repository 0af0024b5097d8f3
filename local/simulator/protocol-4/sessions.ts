import { randomBytes } from 'node:crypto'
import type { SessionId } from '../../../lib/proof/protocol-4/session-id.ts'
import { holderSession } from './holder.ts'
import { WalletRefusal } from './refusal.ts'

/** The first bytes of the random numbers of a session: of its seed, and of the action of each of its proofs. */
const SEED_PREFIX = 1n
const ACTION_PREFIX = 2n

/**
 * Returns a new session of a person with a relying party, or the given session if the person opened it.
 *
 * @throws WalletRefusal if another person, or a person at another relying party, opened the session
 */
export function openSession(
  secret: bigint,
  rpId: bigint,
  session: SessionId | 'create',
): SessionId {
  if (session === 'create') return holderSession(secret, rpId, randomWithPrefix(SEED_PREFIX))
  if (holderSession(secret, rpId, session.oprfSeed).commitment === session.commitment)
    return session
  throw new WalletRefusal(
    'generic_error',
    'This person did not open this session with this relying party.',
  )
}

/** Chooses the action of a session proof. Each proof has another, so that its nullifier says nothing about the person. */
export function randomSessionAction(): bigint {
  return randomWithPrefix(ACTION_PREFIX)
}

function randomWithPrefix(prefix: bigint): bigint {
  return (prefix << 248n) | BigInt(`0x${randomBytes(31).toString('hex')}`)
}
