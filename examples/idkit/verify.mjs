import { verifyCloudProof } from '@worldcoin/idkit-core/backend'
import { ACTION, APP_ID, SIGNAL } from './app.mjs'

const { BASE_URL = 'http://localhost:3000' } = process.env

/** Verifies a proof from IDKit 2. Succeeds once for each person, and only for this vote. */
export function verify(proof) {
  const endpoint = `${BASE_URL}/api/v2/verify/${APP_ID}`
  return verifyCloudProof(proof, APP_ID, ACTION, SIGNAL, endpoint)
}
