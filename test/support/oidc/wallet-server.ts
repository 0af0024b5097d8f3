import { createServer, type Server } from 'node:http'
import express from 'express'
import type { ProvingTools } from '../../../local/simulator/prove-for-person.ts'
import { createSimulatorPage } from '../../../local/simulator/simulator-page.ts'
import { createWalletBridge } from '../../../local/simulator/wallet-bridge.ts'
import { forgeMembership } from '../simulator/forge-membership.ts'

export type WalletServer = {
  url: string
  /** Tells the simulator the URL of the chain. The simulator starts before the chain. */
  setChain(rpcUrl: string): void
  start(): Promise<void>
  stop(): Promise<void>
}

/** Starts the platform's wallet bridge and simulator page on one server, which tests can stop. */
export async function startWalletServer(
  port: number,
  prove: ProvingTools['prove'] = forgeMembership,
): Promise<WalletServer> {
  const world = { rpcUrl: '', prove }
  const web = express().use(createSimulatorPage(world), createWalletBridge())
  let server: Server
  const start = async () => {
    server = createServer(web)
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  }
  await start()
  return {
    url: `http://localhost:${port}`,
    setChain: (rpcUrl) => {
      world.rpcUrl = rpcUrl
    },
    start,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
