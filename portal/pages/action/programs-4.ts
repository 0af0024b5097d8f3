import page from '../../../examples/idkit/page.jsx?raw'
import { shellQuoted } from './shell-quoted.ts'

type Purpose = {
  appId: string
  rpId: string
  action: string
  /** The address of this platform. */
  baseUrl: string
  /** The wallet bridge for simulated people. Null for real people, because their wallets use World's bridge. */
  bridgeUrl: string | null
}

/** Returns the page of examples/idkit with IDKit 4, for an action of protocol 4.0. A test runs the page in a browser. */
export function pageProgram({ appId, action, bridgeUrl }: Purpose): string {
  const constants = `
const APP_ID = ${JSON.stringify(appId)}
const ACTION = ${JSON.stringify(action)}
// A text that the person confirms with the proof. Your server must expect the same text.
const SIGNAL = ''
`
  const bridge = bridgeUrl === null ? '' : `          bridge_url=${JSON.stringify(bridgeUrl)}\n`
  return page
    .replace(
      /^import .* from '@worldcoin\/idkit'\n/m,
      "import { CredentialRequest, IDKitRequestWidget } from '@worldcoin/idkit' // npm install @worldcoin/idkit@4\n",
    )
    .replace(/^import .* from '\.\/app\.mjs'\n/m, () => constants)
    .replace(/^ *bridge_url=.*\n/m, () => bridge)
    .replace(/allow_legacy_proofs.*/, 'allow_legacy_proofs={false}')
    .replace(
      /(preset|constraints)=.*/,
      "constraints={CredentialRequest('proof_of_human', { signal: SIGNAL })}",
    )
    .trim()
}

/** Returns a server that signs the requests of the page, and has the platform verify the results. A test runs the server. */
export function serverProgram({ rpId, action, baseUrl }: Purpose): string {
  return `import express from 'express' // npm install express @worldcoin/idkit@4
import { hashSignal } from '@worldcoin/idkit/hashing'
import { signRequest } from '@worldcoin/idkit/signing'

const BASE_URL = ${JSON.stringify(baseUrl)}
const RP_ID = ${JSON.stringify(rpId)}
const ACTION = ${JSON.stringify(action)}
const SIGNAL = ''
// The private key of the app's request signing key. It never leaves your server.
const { SIGNING_KEY, PORT = '3005' } = process.env

${SERVER}`
}

/** Returns a command that makes and verifies a proof of a simulated person. A test runs the command. */
export function simulateCommand({ appId, rpId, action, baseUrl }: Purpose): string {
  return `npm run --silent simulate -- --protocol 4.0 --app ${appId} --action ${shellQuoted(action)} --identity bob |
  curl -sS ${baseUrl}/api/v4/verify/${rpId} -H 'content-type: application/json' --data-binary @-`
}

/** The part of the server that is the same for all actions. */
const SERVER = `/** The nonces of requests that this server has signed. Each nonce is valid for one result, and for five minutes. */
const nonces = new Set()

const web = express()
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
  const { protocol_version, nonce, environment, responses = [] } = request.body
  if (!nonces.delete(nonce))
    return response.status(400).json({ detail: 'This server did not sign this request.' })
  // Use your own values, never the browser's. Then a proof for another action, signal or credential is invalid.
  const requested = { identifier: 'proof_of_human', issuer_schema_id: 1, signal_hash: hashSignal(SIGNAL) }
  const answer = await fetch(\`\${BASE_URL}/api/v4/verify/\${RP_ID}\`, {
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

web.listen(Number(PORT))`
