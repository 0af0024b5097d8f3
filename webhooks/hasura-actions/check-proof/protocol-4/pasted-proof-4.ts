import { z } from 'zod'
import { hashToField } from '../../../../lib/proof/encoding.ts'
import { parseWord } from '../../../../lib/proof/protocol-4/words.ts'
import { parseInWords } from '../../../../lib/runtime/parse-in-words.ts'
import type { SubmittedProof4 } from '../../../../lib/verification/protocol-4/decode-proof.ts'
import { commitmentOf, Form4 } from '../../../verify/protocol-4/form.ts'
import { hashOf } from '../pasted-proof.ts'

/** The values of a proof that are readable as far as their type. `examine4` decodes them. */
type Fields = Omit<SubmittedProof4, 'isStaging' | 'rpId' | 'callers'>

/** A proof of protocol 4.0 that a developer pasted. Fields may be malformed. */
export type PastedProof4 = {
  kind: 'uniqueness' | 'session'
  /** The name of the credential. */
  identifier: string
  nullifier: string
  /** Null if a field has the wrong type, so that the proof cannot be examined. */
  fields: Fields | null
  /** The missing and malformed fields with their errors. */
  faults: { field: string; fault: string }[]
  /** The values in the input that the checks compare. */
  claims: z.infer<typeof Claims>
}

const text = z.string().optional().catch(undefined)

/** The fields that clients add to a proof, and that the checks compare. A value that is not a text is ignored. */
const Claims = z.object({
  app_id: text,
  rp_id: text,
  action: text,
  environment: text,
  signal: text,
  signal_hash: text,
})

const Integer = z
  .union([z.int().min(0), z.string().regex(/^[0-9]{1,20}$/)])
  .transform(BigInt)
  .nullable()
  .catch(null)

/** The fields of a result and of its first proof, each readable alone. */
const Result = z.object({
  nonce: z.string().catch(''),
  session_id: text,
  responses: z
    .tuple([z.record(z.string(), z.unknown())], z.unknown())
    .transform(([first]) => first)
    .catch({}),
})

const Response = z.object({
  identifier: z.string().catch(''),
  nullifier: z.string().catch(''),
  session_nullifier: z.tuple([z.string(), z.string()]).catch(['', '']),
  issuer_schema_id: Integer,
  expires_at_min: Integer,
  credential_genesis_issued_at_min: Integer.default(0n),
  proof: z.array(z.string()).catch([]),
})

type Target = { app_id: string; action: string }

/**
 * Reads the result of IDKit 4, or a body of `/api/v4/verify`, with proofs of protocol 4.0. Reads only the first proof.
 *
 * @returns null for a proof of another protocol
 */
export function readPastedProof4(
  input: Record<string, unknown>,
  target: Target,
): PastedProof4 | null {
  if (input.protocol_version !== '4.0') return null
  const { responses: response, ...result } = Result.parse(input)
  const claims = Claims.parse({ ...response, ...input })
  const kind = result.session_id ? 'session' : 'uniqueness'
  const proof = Response.parse(response)
  const [sessionNullifier, sessionAction] = proof.session_nullifier
  const nullifier = kind === 'session' ? sessionNullifier : proof.nullifier
  const values = {
    nullifier,
    action: kind === 'session' ? parseWord(sessionAction) : hashToField(Buffer.from(target.action)),
    nonce: result.nonce,
    signalHash: signalHashOf(claims),
    issuerSchemaId: proof.issuer_schema_id,
    expiresAtMin: proof.expires_at_min,
    credentialGenesisIssuedAtMin: proof.credential_genesis_issued_at_min,
    sessionId: result.session_id ? commitmentOf(result.session_id) : 0n,
    proof: proof.proof,
  }
  return {
    kind,
    identifier: proof.identifier,
    nullifier: kind === 'session' ? '' : nullifier,
    fields: hasValues(values) ? values : null,
    faults: findFormFaults(input, target),
    claims,
  }
}

/** Returns the signal hash: of the input, of the signal in the input, or the default of protocol 4.0. */
function signalHashOf({ signal, signal_hash }: z.infer<typeof Claims>): string {
  if (signal_hash !== undefined) return signal_hash
  return signal === undefined ? '0x0' : hashOf(signal)
}

type Nullable<T> = { [Key in keyof T]: T[Key] | null }

function hasValues(values: Nullable<Fields>): values is Fields {
  return Object.values(values).every((value) => value !== null)
}

/** Returns the errors of `/api/v4/verify` for this result and for its first proof, with the names of the proof's fields. */
function findFormFaults(input: Record<string, unknown>, { app_id, action }: Target) {
  const ownAction = input.session_id === undefined ? { action } : {}
  const { error } = parseInWords(Form4, { ...ownAction, ...input, app_id })
  return (error?.issues ?? []).flatMap(({ path, message }) => {
    const [list, index, ...field] = path
    if (list !== 'responses' || index === undefined)
      return [{ field: path.join('.'), fault: message }]
    return index === 0 ? [{ field: field.join('.'), fault: message }] : []
  })
}
