import { randomBytes } from 'node:crypto'
import { hashSignal } from '@worldcoin/idkit/hashing'
import { signRequest } from '@worldcoin/idkit-server'
import { ACTION, APP_ID, SIGNAL } from './app.mjs'

const { BASE_URL = 'http://localhost:3000' } = process.env

// A real website gets its id and its key from World's registry. Simulated people and the platform ignore both.
const RP_ID = 'rp_0000000000000001'
const SIGNING_KEY = randomBytes(32).toString('hex')

/** The request that IDKit 4 passes to the wallet, signed so that the wallet knows the website. */
export function signedRequest() {
  const { sig, nonce, createdAt, expiresAt } = signRequest({
    signingKeyHex: SIGNING_KEY,
    action: ACTION,
  })
  return { rp_id: RP_ID, nonce, created_at: createdAt, expires_at: expiresAt, signature: sig }
}

/** Verifies a result of IDKit 4. Succeeds once for each person, and only for this vote. */
export async function verify({ protocol_version, responses }) {
  // Use your own action and signal, never the browser's. Then a proof for another action or signal is invalid.
  const signal_hash = hashSignal(SIGNAL)
  const response = await fetch(`${BASE_URL}/api/v4/verify/${APP_ID}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      protocol_version,
      action: ACTION,
      responses: responses?.map((proof) => ({ ...proof, signal_hash })),
    }),
  })
  return { success: response.ok, ...(await response.json()) }
}
