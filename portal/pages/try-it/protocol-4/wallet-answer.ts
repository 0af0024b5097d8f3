import { z } from 'zod'

const WORD_DIGITS = 64

/** The five words of a proof, which wallets send as one text of hexadecimal digits. */
const Words = z
  .string()
  .regex(/^[0-9a-f]{320}$/i)
  .transform((text) =>
    Array.from(
      { length: text.length / WORD_DIGITS },
      (_, word) => `0x${text.slice(word * WORD_DIGITS, (word + 1) * WORD_DIGITS)}`,
    ),
  )

const Nullifier = z
  .string()
  .regex(/^nil_[0-9a-f]{64}$/)
  .transform((text) => text.replace('nil_', '0x'))

const ProofResponse = z.object({
  error: z.string().nullish(),
  responses: z.array(
    z.object({
      identifier: z.string(),
      issuer_schema_id: z.number(),
      proof: Words,
      nullifier: Nullifier,
      expires_at_min: z.number(),
    }),
  ),
})

/** The answers of wallets to requests of protocol 4.0. The first wallets sent the response without `proof_response`. */
const Answer = z.union([
  z.object({ error_code: z.string() }),
  z.object({ proof_response: ProofResponse, integrity_bundle: z.unknown().optional() }),
  ProofResponse.transform((proof_response) => ({ proof_response, integrity_bundle: undefined })),
])

type Purpose = { nonce: string; action: string }

/**
 * Converts the answer of a wallet to the result of IDKit 4, which is also the body of a verify request.
 *
 * @returns the result, or the wallet's error
 */
export function readProofResponse(answer: unknown, { nonce, action }: Purpose) {
  const parsed = Answer.safeParse(answer).data
  if (!parsed) return { error_code: 'unexpected_response' }
  if ('error_code' in parsed) return parsed
  const { proof_response, integrity_bundle } = parsed
  if (proof_response.error) return { error_code: proof_response.error }
  const proof = {
    protocol_version: '4.0',
    nonce,
    action,
    responses: proof_response.responses,
    environment: 'staging',
    ...(integrity_bundle !== undefined && { integrity_bundle }),
  }
  return { proof }
}
