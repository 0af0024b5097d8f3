import { CREDENTIALS, type CredentialName } from '../../../../lib/proof/protocol-4/credentials.ts'
import { formatAction, type SignedRequest } from './sign-request.ts'

/** The hash of the empty signal in protocol 3.0. IDKit sends it also with requests of protocol 4.0. */
const NO_SIGNAL = '0x00c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a4'

type App = { id: string; name: string; rp_id: string }

/**
 * Returns the request that IDKit 4 would send to a wallet for one proof of protocol 4.0.
 *
 * @param credentials the credentials that the action accepts; the wallet prefers the first
 */
export function createProofRequest(
  app: App,
  signedRequest: SignedRequest,
  credentials: readonly CredentialName[],
) {
  const { action, nonce, createdAt, expiresAt, signature } = signedRequest
  return {
    app_id: app.id,
    action,
    action_description: `${action} (${app.name})`,
    signal: NO_SIGNAL,
    verification_level: 'device',
    proof_request: {
      id: crypto.randomUUID(),
      version: 1,
      proof_type: 'uniqueness',
      created_at: createdAt,
      expires_at: expiresAt,
      rp_id: app.rp_id,
      oprf_key_id: oprfKeyId(app.rp_id),
      session_id: null,
      action: formatAction(action),
      signature,
      nonce,
      proof_requests: credentials.map((identifier) => ({
        identifier,
        issuer_schema_id: Number(CREDENTIALS[identifier]),
        genesis_issued_at_min: null,
        expires_at_min: null,
      })),
      constraints: { any: credentials },
    },
    allow_legacy_proofs: false,
    require_user_presence: false,
    environment: 'staging',
  }
}

/** Returns the id of the relying party's OPRF key: the number of the rp id, without leading zeros. */
function oprfKeyId(rpId: string): string {
  return `0x${BigInt(`0x${rpId.replace('rp_', '')}`).toString(16)}`
}
