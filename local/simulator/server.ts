import express from 'express'
import { restErrorBody } from '../../lib/runtime/http/error-body.ts'
import { serve } from '../../lib/runtime/http/serve.ts'
import { createLogger } from '../../lib/runtime/log/log.ts'
import { developmentKey } from './development-key/development-key.ts'
import { createProver } from './prove.ts'
import { createProveEndpoint } from './prove-endpoint.ts'
import { createSimulatorPage } from './simulator-page.ts'
import { createWalletBridge } from './wallet-bridge.ts'

/** Starts the simulator's page, its proofs for programs and a wallet bridge on one port of loopback. */
const { PORT = '3003', CHAIN_RPC_URL = 'http://127.0.0.1:8545' } = process.env
const key = await developmentKey()
const tools = { rpcUrl: CHAIN_RPC_URL, prove: createProver(key) }
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
