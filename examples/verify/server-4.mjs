import { hashSignal } from '@worldcoin/idkit/hashing'
import { signRequest } from '@worldcoin/idkit/signing'
import express from 'express'

// SIGNING_KEY is the private key of the app's request signing key. It never leaves your server.
const { BASE_URL, RP_ID, ACTION, SIGNAL = '', SIGNING_KEY, PORT = '3005' } = process.env

/** The nonces of requests that this server has signed. Each nonce is valid for one result, and for five minutes. */
const nonces = new Set()

const web = express()
// The folder with the built page.
web.use(express.static('dist'))
web.use(express.json())

web.post('/signed-request', (_request, response) => {
  const { sig, nonce, createdAt, expiresAt } = signRequest({
    signingKeyHex: SIGNING_KEY,
    action: ACTION,
  })
  nonces.add(nonce)
  setTimeout(() => nonces.delete(nonce), 300_000)
  response.json({
    rp_id: RP_ID,
    nonce,
    created_at: createdAt,
    expires_at: expiresAt,
    signature: sig,
  })
})

web.post('/verify', async (request, response) => {
  const { protocol_version, nonce, environment, responses = [] } = request.body ?? {}
  if (!nonces.delete(nonce))
    return response.status(400).json({ detail: 'This server did not sign this request.' })
  // Use your own values, never the browser's. Then a proof for another action, signal or credential is invalid.
  const requested = {
    identifier: 'proof_of_human',
    issuer_schema_id: 1,
    signal_hash: hashSignal(SIGNAL),
  }
  const answer = await fetch(`${BASE_URL}/api/v4/verify/${RP_ID}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      protocol_version,
      nonce,
      environment,
      action: ACTION,
      responses: responses.map((proof) => ({ ...proof, ...requested })),
    }),
  })
  // On success, store the answer's nullifier with what the person did.
  response.status(answer.status).json(await answer.json())
})

web.listen(Number(PORT), () => console.log(`http://localhost:${PORT}`))
