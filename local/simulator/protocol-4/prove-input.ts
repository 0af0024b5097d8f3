import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { formatField, hashToField, parseField } from '../../../lib/proof/encoding.ts'
import { CREDENTIAL_NAMES, CREDENTIALS } from '../../../lib/proof/protocol-4/credentials.ts'
import { parseRpId, rpIdOfApp } from '../../../lib/proof/protocol-4/rp-id.ts'
import {
  formatSessionId,
  parseSessionId,
  type SessionId,
} from '../../../lib/proof/protocol-4/session-id.ts'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import { findCredential } from './choose-credentials.ts'
import { simulatedTreeMember } from './credential-tree.ts'
import { makeProof4, type Proof4, type ProvingTools4 } from './make-proof.ts'
import { WalletRefusal } from './refusal.ts'
import { openSession, randomSessionAction } from './sessions.ts'

const Element = z.string().transform((text, context) => {
  const element = parseField(text)
  if (element === null) context.addIssue('Must be 1 to 64 hex digits below the modulus.')
  return element ?? z.NEVER
})

const Session = z.string().transform((text, context) => {
  const session = text === 'create' ? text : parseSessionId(text)
  if (session === null) context.addIssue('Must be "create", or session_ and 128 hex digits.')
  return session ?? z.NEVER
})

const Seconds = z.coerce.number().int().min(0).transform(BigInt)

/** The fields of `POST /prove` for protocol 4.0. The command `simulate` has an option for each. */
export const ProveInput4 = z
  .strictObject({
    protocol: z.literal('4.0'),
    app_id: z.string(),
    /** The action of a uniqueness proof. */
    action: z.string().optional(),
    /** The session of a session proof; `create` opens a new session. */
    session_id: Session.optional(),
    identity: z.string().default('person-0'),
    credential: z.enum(CREDENTIAL_NAMES).default('proof_of_human'),
    signal: z.string().optional(),
    signal_hash: Element.optional(),
    /** By default a random number. */
    nonce: Element.optional(),
    /** By default now. */
    expires_at_min: Seconds.optional(),
    genesis_issued_at_min: Seconds.default(0n),
  })
  .refine(({ action, session_id }) => (action === undefined) !== (session_id === undefined), {
    error: 'Send action or session_id, not both.',
  })
  .refine(({ signal, signal_hash }) => signal === undefined || signal_hash === undefined, {
    error: 'Send signal or signal_hash, not both.',
  })

export type ProveInput4 = z.output<typeof ProveInput4>

/** The body of `POST /api/v4/verify/{rp_id}` for a proof of protocol 4.0. */
export const VerificationRequest4 = z.object({
  protocol_version: z.literal('4.0'),
  nonce: z.string(),
  action: z.string().optional(),
  session_id: z.string().optional(),
  environment: z.literal('staging'),
  responses: z.array(
    z.object({
      identifier: z.string(),
      signal_hash: z.string(),
      issuer_schema_id: z.number(),
      nullifier: z.string().optional(),
      session_nullifier: z.array(z.string()).optional(),
      expires_at_min: z.number(),
      credential_genesis_issued_at_min: z.number(),
      proof: z.array(z.string()),
    }),
  ),
})

export type VerificationRequest4 = z.output<typeof VerificationRequest4>

/**
 * Makes a proof of protocol 4.0 of a simulated person, without a request of a page.
 *
 * @throws WalletRefusal if the person has no such credential, or did not open the session
 */
export async function proveForPerson4(
  input: ProveInput4,
  tools: ProvingTools4,
): Promise<VerificationRequest4> {
  const rpId = requireValue(parseRpId(rpIdOfApp(input.app_id)), 'the rp id')
  const member = simulatedTreeMember(input.identity)
  const bounds = {
    expiresAtMin: input.expires_at_min ?? BigInt(Math.floor(Date.now() / 1_000)),
    genesisIssuedAtMin: input.genesis_issued_at_min,
  }
  const issuerSchemaId = CREDENTIALS[input.credential]
  const { credential, mistake } = findCredential(member.holder, issuerSchemaId, bounds)
  if (!credential) throw new WalletRefusal('credential_unavailable', mistake)
  const session = input.session_id
    ? openSession(member.holder.secret, rpId, input.session_id)
    : null
  const purpose = {
    ...{ rpId, session, ...bounds },
    action: session ? randomSessionAction() : hashToField(Buffer.from(input.action ?? '')),
    nonce: input.nonce ?? hashToField(randomBytes(32)),
    signalHash: input.signal_hash ?? hashOfSignal(input.signal),
  }
  const proof = await makeProof4({ member, credential, purpose }, tools)
  return verificationRequest4(input, proof, session)
}

/** Returns the hash of a signal as IDKit computes it: 0 without a signal, and pairs of hex digits after 0x as bytes. */
function hashOfSignal(signal: string | undefined): bigint {
  if (signal === undefined) return 0n
  return /^0x([0-9a-f]{2})+$/i.test(signal) ? hashToField(signal) : hashToField(Buffer.from(signal))
}

function verificationRequest4(
  { action, credential }: ProveInput4,
  { inputs, words }: Proof4,
  session: SessionId | null,
): VerificationRequest4 {
  const nullifier = formatField(inputs.nullifier)
  return {
    protocol_version: '4.0',
    nonce: formatField(inputs.nonce),
    ...(session ? { session_id: formatSessionId(session) } : { action }),
    environment: 'staging',
    responses: [
      {
        identifier: credential,
        signal_hash: formatField(inputs.signalHash),
        issuer_schema_id: Number(inputs.issuerSchemaId),
        ...(session
          ? { session_nullifier: [nullifier, formatField(inputs.action)] }
          : { nullifier }),
        expires_at_min: Number(inputs.expiresAtMin),
        credential_genesis_issued_at_min: Number(inputs.credentialGenesisIssuedAtMin),
        proof: words,
      },
    ],
  }
}
