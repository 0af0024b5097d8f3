import { verifyCloudProof } from '@worldcoin/idkit-core/backend'
import { ACTION, APP_ID, SIGNAL } from './app.mjs'

const { BASE_URL = 'http://localhost:3000' } = process.env

/** Asks the platform whether a proof from IDKit 2 is a vote of somebody who has not voted. */
export function verify(proof) {
  const endpoint = `${BASE_URL}/api/v2/verify/${APP_ID}`
  return verifyCloudProof(proof, APP_ID, ACTION, SIGNAL, endpoint)
}
