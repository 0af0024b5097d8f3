import { hashSignal } from '@worldcoin/idkit/hashing'
import { signRequest } from '@worldcoin/idkit-server'
import { ACTION, RP_ID, SIGNAL } from './app.mjs'

const {
  BASE_URL = 'http://localhost:3000',
  // The request signing key of the app that `npm start` creates. Keep your own key secret.
  RP_SIGNING_KEY = '0x1234567890abcdef1234567890abcdef1234567890abcdef1234567890abcdef',
} = process.env

/** The request that IDKit 4 passes to the wallet, signed so that the wallet knows the website. */
export function signedRequest() {
  const { sig, nonce, createdAt, expiresAt } = signRequest({
    signingKeyHex: RP_SIGNING_KEY,
    action: ACTION,
  })
  return { rp_id: RP_ID, nonce, created_at: createdAt, expires_at: expiresAt, signature: sig }
}

/** Verifies a result of IDKit 4. Succeeds once for each person, and only for this poll. */
export async function verify({ protocol_version, nonce, responses }) {
  // Use your own values, never the browser's. Then a proof for another action, signal or credential is invalid. Anyone can
  // register an issuer of credentials, so accept only the issuer that you requested.
  const requested = {
    identifier: 'proof_of_human',
    issuer_schema_id: 1,
    signal_hash: hashSignal(SIGNAL),
  }
  const response = await fetch(`${BASE_URL}/api/v4/verify/${RP_ID}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      protocol_version,
      nonce,
      action: ACTION,
      responses: responses?.map((proof) => ({ ...proof, ...requested })),
    }),
  })
  return { success: response.ok, ...(await response.json()) }
}
