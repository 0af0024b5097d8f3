import { decompressProof } from '../compressed-proof.ts'
import { parseProofWords } from '../protocol-4/words.ts'
import vectors from './protocol-4-proofs.json' with { type: 'json' }

/**
 * Public proofs of protocol 4.0: a uniqueness proof and a session proof. They are valid for the key `world-id-4`.
 *
 * @see https://github.com/worldcoin/world-id-protocol (contracts/test/core, at bc22329f)
 */
export const protocol4Proofs = vectors.map(({ name, key, words, signals }) => ({
  name,
  key,
  words,
  signals: signals.map(BigInt),
  compressed: decodeWords(words),
  decoded: decompressProof(decodeWords(words)),
}))

/** Returns the public proof with this name. */
export function protocol4Proof(name: string) {
  const proof = protocol4Proofs.find((candidate) => candidate.name === name)
  if (!proof) throw new Error(`protocol-4-proofs.json has no proof named ${name}.`)
  return proof
}

function decodeWords(words: readonly string[]) {
  const proofWords = parseProofWords(words)
  if (proofWords === null) throw new Error('protocol-4-proofs.json has malformed words.')
  return proofWords.proof
}
