import express from 'express'
import { restErrorBody } from '../../lib/runtime/http/error-body.ts'
import { serve } from '../../lib/runtime/http/serve.ts'
import { createLogger } from '../../lib/runtime/log/log.ts'
import { verifierAddress } from '../chain/deploy-world-id.ts'
import { developmentKey, developmentKey4 } from './development-key/development-key.ts'
import { createCredentialProver } from './protocol-4/prove-credential.ts'
import { createFindRelyingParty } from './protocol-4/relying-party.ts'
import { verifierKeys } from './protocol-4/verifier-keys.ts'
import { createProver } from './prove.ts'
import { createProveEndpoint } from './prove-endpoint.ts'
import { createSimulatorPage } from './simulator-page.ts'
import { createWalletBridge } from './wallet-bridge.ts'

/** Starts the simulator's page, its proofs for programs and a wallet bridge on one port of loopback. */
const {
  PORT = '3003',
  CHAIN_RPC_URL = 'http://127.0.0.1:8545',
  BASE_URL = 'http://localhost:3000',
} = process.env
const [key, key4, { staging }] = await Promise.all([
  developmentKey(),
  developmentKey4(),
  verifierKeys(),
])
const tools = {
  rpcUrl: CHAIN_RPC_URL,
  prove: createProver(key),
  protocol4: {
    verifier: await verifierAddress('staging', staging),
    prove: createCredentialProver(key4),
    findRelyingParty: createFindRelyingParty(BASE_URL),
  },
}
const web = express()
web.get('/healthz', (_request, response) => void response.type('text/plain').send('OK'))
web.use(createProveEndpoint(tools), createSimulatorPage(tools), createWalletBridge())
await serve(web, {
  host: '127.0.0.1',
  port: Number(PORT),
  log: createLogger('simulator', 'info'),
  errorBody: restErrorBody,
  close: async () => {},
})
