// In your app, import '@worldcoin/idkit-core/backend'. Here version 2 is installed as idkit-core-2.
import { verifyCloudProof } from 'idkit-core-2/backend'
import { LEGACY_ACTION as ACTION, APP_ID, SIGNAL } from './app.mjs'

const { BASE_URL = 'http://localhost:3000' } = process.env

/** Verifies a proof from IDKit 2. Succeeds once for each person, and only for this vote. */
export function verify2(proof) {
  const endpoint = `${BASE_URL}/api/v2/verify/${APP_ID}`
  return verifyCloudProof(proof, APP_ID, ACTION, SIGNAL, endpoint)
}
