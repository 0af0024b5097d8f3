import { keccak256 } from 'viem'
import { z } from 'zod'
import { decompressProof } from './compressed-proof.ts'
import { type G1, type G2, p, r } from './field.ts'

/** The three points of a Groth16 proof; every coordinate is below the base field's modulus. */
export type Proof = { readonly a: G1; readonly b: G2; readonly c: G1 }

/**
 * Hashes any input to an element of the scalar field: Keccak-256, shifted right by eight bits.
 *
 * @param input a text of `0x` and hex digits is decoded to bytes (an odd number of digits gets a leading 0). Any other
 *   text is encoded in UTF-8.
 */
export function hashToField(input: string | Uint8Array): bigint {
  return BigInt(keccak256(typeof input === 'string' ? inputBytes(input) : input)) >> 8n
}

/**
 * Computes the external nullifier of an app and an action. A nullifier belongs to exactly one external nullifier.
 *
 * @param action hashed as UTF-8 even if it looks like hex; `''` is sign-in
 */
export function externalNullifier(appId: string, action: string): bigint {
  const app = inputBytes(formatField(hashToField(appId)))
  return hashToField(Buffer.concat([app, Buffer.from(action)]))
}

/** Computes the external nullifier of the first protocol, for an action with an id that begins with `wid_`. */
export function legacyExternalNullifier(actionId: string): bigint {
  return hashToField(actionId)
}

/**
 * Parses a scalar from hex digits, with or without `0x`, short or padded, in upper or lower case.
 *
 * @returns null if the text is malformed or the number is not below the modulus. Larger numbers are rejected, because n
 *   and n + modulus would be two nullifier hashes of the same person.
 */
export function parseField(text: string): bigint | null {
  if (!/^(0x)?[0-9a-fA-F]{1,64}$/.test(text)) return null
  const number = BigInt(text.startsWith('0x') ? text : `0x${text}`)
  return number < r ? number : null
}

/** Formats a scalar in the canonical form for storage and responses: `0x` and 64 lower-case digits. */
export function formatField(n: bigint): string {
  return `0x${n.toString(16).padStart(64, '0')}`
}

/**
 * Parses a proof in any common encoding: ABI hex of `uint256[8]`; JSON (nested or a list, hex or decimal words, quotes
 * escaped or not); or the compressed `uint256[4]`, which may be padded with zero words.
 *
 * @returns null if the text is in none of these encodings, or if a coordinate is not below the modulus. Only the
 *   verifier checks if the points are on their curves, so a tampered proof gives the same error in every encoding.
 */
export function parseProof(text: string): Proof | null {
  const words = hexWords(text) ?? jsonWords(text)
  const proof = words && proofFromWords(words)
  return proof && proofCoordinates(proof).every((coordinate) => coordinate < p) ? proof : null
}

/** Formats a proof as clients send it: as ABI hex of `uint256[8]`. */
export function formatProof({ a, b: [bx, by], c }: Proof): string {
  const words = [...a, ...bx.toReversed(), ...by.toReversed(), ...c]
  return `0x${words.map((word) => formatField(word).slice(2)).join('')}`
}

function inputBytes(text: string): Uint8Array {
  if (!/^0x[0-9a-fA-F]*$/.test(text)) return Buffer.from(text)
  const digits = text.slice(2)
  return Buffer.from(digits.length % 2 ? `0${digits}` : digits, 'hex')
}

function hexWords(text: string): bigint[] | null {
  if (!/^(0x)?([0-9a-f]{256}|[0-9a-f]{512})$/i.test(text)) return null
  const words = text.replace(/^0x/i, '').match(/.{64}/g) ?? []
  return words.map((word) => BigInt(`0x${word}`))
}

const Word = z
  .string()
  .regex(/^(0x[0-9a-fA-F]{1,64}|[0-9]{1,78})$/)
  .transform(BigInt)
const Pair = z.tuple([Word, Word])
const WordsInJson = z.union([
  z.tuple([Pair, z.tuple([Pair, Pair]), Pair]).transform(([a, b, c]) => [...a, ...b.flat(), ...c]),
  z.array(Word),
])

function jsonWords(text: string): bigint[] | null {
  const unescaped = text
    .trim()
    .replaceAll('\\"', '"')
    .replace(/^"(.*)"$/s, '$1')
  try {
    return WordsInJson.safeParse(JSON.parse(unescaped)).data ?? null
  } catch {
    return null
  }
}

/** Builds a proof from words in the ABI's order, where the imaginary part of each coordinate of B comes first. */
function proofFromWords(words: readonly bigint[]): Proof | null {
  const [ax = 0n, ay = 0n, bxi = 0n, bxr = 0n, byi = 0n, byr = 0n, cx = 0n, cy = 0n] = words
  if (isCompressed(words)) return decompressProof([ax, ay, bxi, bxr])
  if (words.length !== 8) return null
  return {
    a: [ax, ay],
    b: [
      [bxr, bxi],
      [byr, byi],
    ],
    c: [cx, cy],
  }
}

/**
 * True for four words, or for eight words that end with four zero words: a padded compressed proof. A valid
 * uncompressed proof never ends so, because its C would be (0, 0), which is not on the curve.
 */
function isCompressed(words: readonly bigint[]): boolean {
  const padding = words.slice(4)
  return words.length === 4 || (words.length === 8 && padding.every((word) => word === 0n))
}

function proofCoordinates({ a, b, c }: Proof): bigint[] {
  return [...a, ...b.flat(), ...c]
}
