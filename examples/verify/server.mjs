import { randomUUID } from 'node:crypto'
import { hashToField } from '@worldcoin/idkit-core/hashing'
import express from 'express'

const { BASE_URL, APP_ID, ACTION, SIGNAL = '', PORT = '3005' } = process.env

const web = express()
// The folder with the built page.
web.use(express.static('dist'))
web.use(express.json())

web.post('/verify', async (request, response) => {
  const { proof, merkle_root, nullifier_hash, verification_level } = request.body ?? {}
  const answer = await fetch(`${BASE_URL}/api/v2/verify/${APP_ID}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': randomUUID() },
    // Use your own action and signal, never the browser's. Then a proof for another action or signal is invalid.
    body: JSON.stringify({
      proof,
      merkle_root,
      nullifier_hash,
      verification_level,
      action: ACTION,
      signal_hash: hashToField(SIGNAL).digest,
    }),
  })
  const result = await answer.json()
  // On success, store result.nullifier_hash with what the person did: it is the person's number for this action.
  response.status(answer.status).json(result)
})

web.listen(Number(PORT), () => console.log(`http://localhost:${PORT}`))
