import { randomBytes } from 'node:crypto'
import { hashSignal } from 'idkit-4/hashing'
import { signRequest } from 'idkit-4/signing'
import { ACTION, APP_ID, SIGNAL } from './app.mjs'

const { BASE_URL = 'http://localhost:3000' } = process.env

// World's registry gives a website both; simulated people and the platform do not look at them.
const RP_ID = 'rp_0000000000000001'
const SIGNING_KEY = randomBytes(32).toString('hex')

/** What IDKit 4 hands to the wallet, so that this knows which website asks. */
export function signedRequest() {
  const { sig, nonce, createdAt, expiresAt } = signRequest({
    signingKeyHex: SIGNING_KEY,
    action: ACTION,
  })
  return { rp_id: RP_ID, nonce, created_at: createdAt, expires_at: expiresAt, signature: sig }
}

/** Asks the platform whether a result of IDKit 4 is a vote of somebody who has not voted. */
export async function verify4({ protocol_version, responses }) {
  // Not the action and the signal that the browser sends: a proof of anything else is then not valid.
  const signal_hash = hashSignal(SIGNAL)
  const response = await fetch(`${BASE_URL}/api/v4/verify/${APP_ID}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      protocol_version,
      action: ACTION,
      responses: responses?.map((one) => ({ ...one, signal_hash })),
    }),
  })
  return { success: response.ok, ...(await response.json()) }
}
