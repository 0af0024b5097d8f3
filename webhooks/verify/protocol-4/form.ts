import { z } from 'zod'
import { parseField } from '../../../lib/proof/encoding.ts'
import { r } from '../../../lib/proof/field.ts'
import { parseSessionId } from '../../../lib/proof/protocol-4/session-id.ts'
import { parseWord } from '../../../lib/proof/protocol-4/words.ts'
import { hexNumber } from '../proof-fields.ts'
import { IntegrityBundle } from './integrity-bundle.ts'

/** The maximum number of credentials in a result. Protocol 4.0 allows as many conditions in a request. */
const MAX_RESPONSES = 12

/** A number of up to 256 bits: a word of a proof, or a public input. */
const word = z.string().min(1).max(80)

/** An unsigned integer, as a number or as digits; JSON numbers are exact only up to 2^53. */
const integer = z.union(
  [z.int().min(0), z.string().regex(/^[0-9]{1,20}$/)],
  'Must be a whole number of 0 or more, as a number or as digits.',
)

/** The proof of one credential. A uniqueness proof has a `nullifier`, and a session proof has a `session_nullifier`. */
const ProofResponse4 = z.object({
  identifier: z.string().min(1).max(64).describe('The name of the credential'),
  signal_hash: z
    .string()
    .regex(/^0x[0-9a-fA-F]{1,64}$/, 'Must be 0x and 1 to 64 hex digits.')
    .default('0x0')
    .describe('The hash of the signal, as in protocol 3.0. The default is 0'),
  issuer_schema_id: integer.describe('The id of the credential issuer'),
  nullifier: hexNumber.optional().describe("The person's number for this action, in hex"),
  session_nullifier: z
    .array(word)
    .length(2, 'Must have 2 entries: the nullifier and the action of the session.')
    .optional()
    .describe('Only for a session proof: its nullifier and its action'),
  expires_at_min: integer.describe(
    'The credential is valid at least until this time, in Unix seconds',
  ),
  credential_genesis_issued_at_min: integer
    .default(0)
    .describe('The credential was first issued at this time or later, in Unix seconds'),
  proof: z
    .array(word)
    .length(5, 'Must have 5 entries: four words of the compressed proof, and the Merkle root.')
    .describe('Four words of the compressed proof, and the Merkle root'),
})

export const Environment = z.enum(['production', 'staging', 'sandbox'])

const Fields = z.object({
  app_id: z.string(),
  protocol_version: z.literal('4.0'),
  nonce: word.describe('The nonce of the signed request'),
  action: z
    .string()
    .max(256)
    .optional()
    .describe("The action's identifier; absent for a session proof"),
  session_id: z
    .string()
    .max(256)
    .optional()
    .describe('Only for a session proof: the id of the session'),
  environment: Environment.optional().describe(
    'A staging app accepts each of them; a production app only production',
  ),
  integrity_bundle: IntegrityBundle.optional().describe('Refused, because it cannot be checked'),
  responses: z
    .array(ProofResponse4)
    .min(1)
    .max(MAX_RESPONSES)
    .describe('One proof for each credential. One valid proof is enough'),
})

type Fields = z.infer<typeof Fields>
type Response = Fields['responses'][number]

/** The parts of a result of protocol 4.0 that both kinds have. */
export type Result4 = Omit<Fields, 'action' | 'session_id' | 'responses'>

/** A result with uniqueness proofs: a person does an action. */
export type UniquenessResult = Result4 & {
  kind: 'uniqueness'
  action: string
  responses: (Omit<Response, 'session_nullifier'> & { nullifier: string })[]
}

/** A result with session proofs: the person who opened the session is there again. */
export type SessionResult = Result4 & {
  kind: 'session'
  session_id: string
  responses: (Omit<Response, 'nullifier'> & { session_nullifier: string[] })[]
}

/**
 * The body of `POST /api/v4/verify/{app_id}` for protocol 4.0 (spec 2.19): the result of IDKit 4. A `session_id`
 * makes it a result with session proofs. Unknown keys are ignored. So is `action_description`: a browser sends it, so any
 * person could write the description of an action that the result creates.
 */
export const Form4 = Fields.transform((fields, context) => {
  const { action = '', session_id = '', responses, ...rest } = fields
  const refuse = (path: (string | number)[], message: string) => {
    context.addIssue({ code: 'custom', path, message })
    return z.NEVER
  }
  if (session_id === '') {
    if (action === '')
      return refuse(['action'], 'This attribute is required, unless there is a session_id.')
    const proofs = responses.flatMap(({ session_nullifier, nullifier, ...proof }, index) =>
      nullifier === undefined
        ? refuse(['responses', index, 'nullifier'], 'This attribute is required.')
        : [{ ...proof, nullifier }],
    )
    if (new Set(proofs.map(({ nullifier }) => parseField(nullifier))).size > 1)
      return refuse(
        ['responses'],
        'Must be of one person: all proofs must have the same nullifier.',
      )
    return { kind: 'uniqueness', ...rest, action, responses: proofs } satisfies UniquenessResult
  }
  if (action !== '')
    return refuse(['action'], 'Must be absent, because the result has a session_id.')
  if (commitmentOf(session_id) === null)
    return refuse(['session_id'], 'Must be session_ and 128 hex digits, or the commitment in hex.')
  const proofs = responses.flatMap(({ session_nullifier, nullifier, ...proof }, index) =>
    session_nullifier === undefined
      ? refuse(['responses', index, 'session_nullifier'], 'This attribute is required.')
      : [{ ...proof, session_nullifier }],
  )
  return { kind: 'session', ...rest, session_id, responses: proofs } satisfies SessionResult
})

/**
 * Returns the commitment of a session from the session's id, or from the commitment itself.
 *
 * @returns null for a malformed text, and for 0, which as a public input means a uniqueness proof
 */
export function commitmentOf(sessionId: string): bigint | null {
  const commitment = parseSessionId(sessionId)?.commitment ?? parseWord(sessionId)
  return commitment !== null && commitment > 0n && commitment < r ? commitment : null
}
