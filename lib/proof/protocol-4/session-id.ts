import { formatField } from '../encoding.ts'
import { r } from '../field.ts'

/**
 * The id of a session. A session proof proves that the person who opened the session is there again.
 *
 * The relying party keeps the id and sends it with each later request. Only the commitment is a public signal.
 */
export type SessionId = {
  commitment: bigint
  /** The input from which the wallet derives the secret behind the commitment. Its first byte is 1. */
  oprfSeed: bigint
}

/** The first byte of a seed, so that no seed equals an action. */
const SEED_PREFIX = 1n

/**
 * Parses the id of a session: `session_` and 128 hex digits, which are the commitment and the seed.
 *
 * @returns null if the text is malformed, a number is not below the modulus, or the first byte of the seed is not 1. The
 *   commitment 0 is rejected as well, because as a public signal it means a uniqueness proof.
 */
export function parseSessionId(text: string): SessionId | null {
  const [, commitmentDigits, seedDigits] =
    /^session_([0-9a-fA-F]{64})([0-9a-fA-F]{64})$/.exec(text) ?? []
  if (commitmentDigits === undefined || seedDigits === undefined) return null
  const [commitment, oprfSeed] = [BigInt(`0x${commitmentDigits}`), BigInt(`0x${seedDigits}`)]
  if (commitment === 0n || commitment >= r) return null
  if (oprfSeed >= r || oprfSeed >> 248n !== SEED_PREFIX) return null
  return { commitment, oprfSeed }
}

/** Formats the id of a session as clients send it. */
export function formatSessionId({ commitment, oprfSeed }: SessionId): string {
  return `session_${[commitment, oprfSeed].map((n) => formatField(n).slice(2)).join('')}`
}
