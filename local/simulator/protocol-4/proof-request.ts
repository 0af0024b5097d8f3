import type { Hex } from 'viem'
import { z } from 'zod'
import { parseField } from '../../../lib/proof/encoding.ts'
import { kindOfAction } from '../../../lib/proof/protocol-4/public-signals.ts'
import { parseRpId } from '../../../lib/proof/protocol-4/rp-id.ts'
import { parseSessionId } from '../../../lib/proof/protocol-4/session-id.ts'
import { parseWord } from '../../../lib/proof/protocol-4/words.ts'
import { firstIssue, parseInWords } from '../../../lib/runtime/parse-in-words.ts'
import { Constraints } from './constraints.ts'
import { WalletRefusal } from './refusal.ts'

/** Makes a schema of a text that a function parses to a number or an object; null means that the text is malformed. */
function parsedText<Value>(parse: (text: string) => Value | null, mistake: string) {
  return z.string().transform((text, context) => {
    const value = parse(text)
    if (value === null) context.addIssue(mistake)
    return value ?? z.NEVER
  })
}

/** A field element has all 64 digits, so that each element has one text. */
const Element = parsedText(
  (text) => (/^0x[0-9a-f]{64}$/i.test(text) ? parseField(text) : null),
  'Must be 0x and 64 hex digits below the modulus.',
)

const Seconds = z.int().min(0)

const RequestItem = z.strictObject({
  identifier: z.string(),
  issuer_schema_id: z.int().min(0).transform(BigInt),
  signal: z
    .string()
    .regex(/^0x([0-9a-f]{2})*$/i, 'Must be 0x and pairs of hex digits.')
    .nullish(),
  genesis_issued_at_min: Seconds.nullish(),
  expires_at_min: Seconds.nullish(),
})

export type RequestItem = z.output<typeof RequestItem>

const Session = parsedText(
  (text) => (text === 'create' ? text : parseSessionId(text)),
  'Must be "create", or session_ and 128 hex digits.',
)

/**
 * A proof request, as relying parties send it.
 *
 * @see https://github.com/worldcoin/world-id-protocol (crates/primitives/src/request/mod.rs, at bc22329f)
 */
const ProofRequest = z
  .strictObject({
    id: z.string(),
    version: z.literal(1),
    /** IDKit 4.3 opens a session with `create_session`; the protocol today with `session` and the session id `create`. */
    proof_type: z.enum(['uniqueness', 'session', 'create_session']).default('uniqueness'),
    created_at: Seconds,
    expires_at: Seconds,
    rp_id: parsedText(parseRpId, 'Must be rp_ and 16 hex digits.'),
    oprf_key_id: parsedText(parseWord, 'Must be a number.'),
    session_id: Session.nullish(),
    action: Element.nullish(),
    signature: z.custom<Hex>(isSignature, 'Must be 0x and 130 hex digits.'),
    nonce: Element,
    proof_requests: z.array(RequestItem).min(1),
    constraints: Constraints.nullish(),
  })
  .refine(({ rp_id, oprf_key_id }) => rp_id === oprf_key_id, {
    path: ['oprf_key_id'],
    error: 'Must be the number of rp_id.',
  })
  .refine(
    ({ proof_requests: items }) => hasNoDuplicate(items.map((item) => item.issuer_schema_id)),
    {
      path: ['proof_requests'],
      error: 'Must ask each issuer once.',
    },
  )
  .refine(({ proof_type, action }) => (proof_type === 'uniqueness') === (action != null), {
    path: ['action'],
    error: 'Must be present in a request for a uniqueness proof, and only there.',
  })
  .refine(({ action }) => action == null || kindOfAction(action) === 'uniqueness', {
    path: ['action'],
    error: 'Must begin with the byte 0.',
  })
  .refine(({ proof_type, session_id }) => proof_type !== 'uniqueness' || session_id == null, {
    path: ['session_id'],
    error: 'Must be absent in a request for a uniqueness proof: no verifier contract accepts both.',
  })
  .refine(({ proof_type, session_id }) => proof_type !== 'session' || session_id != null, {
    path: ['session_id'],
    error: 'Must be "create" or the id of a session.',
  })

export type ProofRequest = z.output<typeof ProofRequest>

/** Parses a proof request. @throws WalletRefusal that names the wrong member */
export function parseProofRequest(json: unknown): ProofRequest {
  const request = parseInWords(ProofRequest, json)
  if (request.success) return request.data
  const { path, message } = firstIssue(request.error)
  throw new WalletRefusal(
    'malformed_request',
    `The request is malformed: ${['proof_request', ...path].join('.')}: ${message}`,
  )
}

function isSignature(value: unknown): boolean {
  return typeof value === 'string' && /^0x[0-9a-f]{130}$/i.test(value)
}

function hasNoDuplicate(values: readonly unknown[]): boolean {
  return new Set(values).size === values.length
}
