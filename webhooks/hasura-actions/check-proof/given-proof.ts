import { z } from 'zod'
import { formatField, hashToField } from '../../../lib/proof/encoding.ts'
import type { VerificationLevel } from '../../../lib/proof/verification-level.ts'
import { parseInWords } from '../../../lib/runtime/parse-in-words.ts'
import { VerifyInput } from '../../verify/verify.ts'
import { proofOfResponse } from '../../verify/verify-v4.ts'

/** The fields of a proof as somebody pasted them, those that are malformed included. */
export type GivenProof = {
  /** What the checks are made with; empty for what is missing or malformed. */
  fields: {
    proof: string
    nullifierHash: string
    merkleRoot: string
    signalHash: string
    level: VerificationLevel | undefined
    maxAgeSeconds: number | undefined
  }
  /** What is wrong with fields, each with its name: `merkle_root: This attribute is required.` */
  faults: { field: string; fault: string }[]
  /** What it says that it was made for, as far as it does; `verify` reads none of it but the hash. */
  stated: z.infer<typeof Stated>
}

const ProofFields = VerifyInput.omit({ app_id: true, action: true })

/** What some clients send besides; anything else in these places says nothing. */
const Stated = z.object({
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

/** Reads a body of `verify`, what `simulate` prints, or the result of a widget: of IDKit 4, its first proof. */
export function readGivenProof(pasted: Record<string, unknown>): GivenProof {
  const result4 = Result4.safeParse(pasted).data
  const flat: Record<string, unknown> = result4
    ? { ...pasted, ...proofOfResponse(result4.responses[0]) }
    : pasted
  const stated = Stated.parse(flat)
  const hashed = stated.signal === undefined ? {} : { signal_hash: hashOf(stated.signal) }
  const given: Record<string, unknown> = { ...hashed, ...flat }
  const { shape } = ProofFields
  return {
    fields: {
      proof: shape.proof.safeParse(given.proof).data ?? '',
      nullifierHash: shape.nullifier_hash.safeParse(given.nullifier_hash).data ?? '',
      merkleRoot: shape.merkle_root.safeParse(given.merkle_root).data ?? '',
      signalHash: shape.signal_hash.safeParse(given.signal_hash).data ?? '',
      level: shape.verification_level.safeParse(given.verification_level).data,
      maxAgeSeconds: shape.max_age.safeParse(given.max_age).data,
    },
    faults: faultsOf(given),
    stated,
  }
}

/** A signal's hash, as it is sent. */
export function hashOf(signal: string): string {
  return formatField(hashToField(signal))
}

function faultsOf(given: Record<string, unknown>) {
  const { error } = parseInWords(ProofFields, given)
  return (error?.issues ?? []).map(({ path, message }) => ({
    field: path.join('.'),
    fault: message,
  }))
}
