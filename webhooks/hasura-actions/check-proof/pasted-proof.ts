import { z } from 'zod'
import { formatField, hashToField } from '../../../lib/proof/encoding.ts'
import type { VerificationLevel } from '../../../lib/proof/verification-level.ts'
import { parseInWords } from '../../../lib/runtime/parse-in-words.ts'
import { VerifyInput } from '../../verify/verify.ts'
import { proofOfResponse } from '../../verify/verify-v4.ts'

/** A proof that a developer pasted. Fields may be malformed. */
export type PastedProof = {
  /**
   * The values that the checks use. A missing `signal_hash` is computed from `signal`, if that is present. Any other
   * missing field has the default of `verify`. A malformed field, and a missing field without a default, is empty or
   * undefined.
   */
  fields: {
    proof: string
    nullifierHash: string
    merkleRoot: string
    signalHash: string
    level: VerificationLevel | undefined
    maxAgeSeconds: number | undefined
  }
  /** The missing and malformed fields with their errors, such as `This attribute is required.` */
  faults: { field: string; fault: string }[]
  /** The values in the input that the checks compare: with the app and the action to check, and with each other. */
  claims: z.infer<typeof Claims>
}

const ProofFields = VerifyInput.omit({ app_id: true, action: true })

/** Fields that some clients add to a proof. A value that is not a text is ignored. */
const Claims = z.object({
  app_id: z.string().optional().catch(undefined),
  action: z.string().optional().catch(undefined),
  external_nullifier: z.string().optional().catch(undefined),
  signal: z.string().optional().catch(undefined),
  signal_hash: z.string().optional().catch(undefined),
})

const Result4 = z.looseObject({
  responses: z.tuple(
    [z.looseObject({ identifier: z.unknown(), nullifier: z.unknown() })],
    z.unknown(),
  ),
})

/** Reads a body of `verify`, the output of `simulate`, or the result of a widget. Reads only the first proof of an IDKit 4 result. */
export function readPastedProof(input: Record<string, unknown>): PastedProof {
  const result4 = Result4.safeParse(input).data
  const flatInput: Record<string, unknown> = result4
    ? { ...input, ...proofOfResponse(result4.responses[0]) }
    : input
  const claims = Claims.parse(flatInput)
  const defaults = claims.signal === undefined ? {} : { signal_hash: hashOf(claims.signal) }
  const values: Record<string, unknown> = { ...defaults, ...flatInput }
  const { shape } = ProofFields
  return {
    fields: {
      proof: shape.proof.safeParse(values.proof).data ?? '',
      nullifierHash: shape.nullifier_hash.safeParse(values.nullifier_hash).data ?? '',
      merkleRoot: shape.merkle_root.safeParse(values.merkle_root).data ?? '',
      signalHash: shape.signal_hash.safeParse(values.signal_hash).data ?? '',
      level: shape.verification_level.safeParse(values.verification_level).data,
      maxAgeSeconds: shape.max_age.safeParse(values.max_age).data,
    },
    faults: faultsOf(values),
    claims,
  }
}

/** Returns the hash of a signal, in the form in which requests send it. */
export function hashOf(signal: string): string {
  return formatField(hashToField(signal))
}

function faultsOf(values: Record<string, unknown>) {
  const { error } = parseInWords(ProofFields, values)
  return (error?.issues ?? []).map(({ path, message }) => ({
    field: path.join('.'),
    fault: message,
  }))
}
