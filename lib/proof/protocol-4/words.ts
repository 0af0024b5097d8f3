import type { CompressedProof } from '../compressed-proof.ts'

/** The number of words of a proof of protocol 4.0: a compressed Groth16 proof and the Merkle root. */
const PROOF_WORDS = 5

/** A proof of protocol 4.0 as numbers. */
export type ProofWords = {
  /** The five words, as the verifier contract takes them. */
  words: readonly [bigint, bigint, bigint, bigint, bigint]
  proof: CompressedProof
  merkleRoot: bigint
}

/**
 * Parses a number of 256 bits, as clients send it: `0x` and up to 64 hex digits, or a decimal number without a leading 0.
 *
 * @returns null if the text is neither, or the number is too large
 */
export function parseWord(text: string): bigint | null {
  if (!/^(0x[0-9a-fA-F]{1,64}|0|[1-9][0-9]{0,77})$/.test(text)) return null
  const word = BigInt(text)
  return word < 1n << 256n ? word : null
}

/** Parses a number of 256 bits from up to 64 hex digits, with or without `0x`; null for any other text. */
export function parseHexWord(text: string): bigint | null {
  return /^(0x)?[0-9a-fA-F]{1,64}$/.test(text) ? BigInt(`0x${text.replace(/^0x/, '')}`) : null
}

/**
 * Parses the five words of a proof: A, the imaginary part of B.x, its real part, C, and the Merkle root.
 *
 * @returns null unless there are exactly five words, each a number of 256 bits. Only the verifier checks if the points are
 *   on their curves, so every tampered proof gives the same error.
 */
export function parseProofWords(texts: readonly string[]): ProofWords | null {
  if (texts.length !== PROOF_WORDS) return null
  const [a, b0, b1, c, merkleRoot] = texts.map(parseWord)
  if (a == null || b0 == null || b1 == null || c == null || merkleRoot == null) return null
  return {
    words: [a, b0, b1, c, merkleRoot],
    proof: [a, b0, b1, c],
    merkleRoot,
  }
}
