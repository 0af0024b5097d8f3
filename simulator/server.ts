import { createServer } from 'node:http'
import express from 'express'
import { bridge } from './bridge.ts'
import { developmentKey } from './development-key.ts'
import { simulatorPage } from './page.ts'

/** The simulator's page, and a wallet bridge beside it; on loopback only, until its starter ends. */
const { PORT = '3003', CHAIN_RPC_URL = 'http://localhost:8545' } = process.env
const key = await developmentKey()
const web = express()
web.get('/healthz', (_request, response) => void response.type('text/plain').send('OK'))
web.use(simulatorPage({ rpcUrl: CHAIN_RPC_URL, key }), bridge())
const server = createServer(web).listen(Number(PORT), '127.0.0.1')
for (const event of ['SIGTERM', 'SIGINT', 'disconnect'])
  process.on(event, () => {
    server.closeAllConnections()
    server.close(() => process.exit(0))
  })
