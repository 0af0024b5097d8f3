import { createServer, type Server } from 'node:http'
import express from 'express'
import type { ProvingTools } from '../../../local/simulator/prove-for-person.ts'
import { createSimulatorPage } from '../../../local/simulator/simulator-page.ts'
import { createWalletBridge } from '../../../local/simulator/wallet-bridge.ts'
import { type WalletWorld, walletTools } from '../simulator/wallet-tools.ts'

export type WalletServer = {
  url: string
  /** Tells the simulator the URLs of the chain and of the developer API. The simulator starts before both. */
  setChain(rpcUrl: string, baseUrl?: string): void
  start(): Promise<void>
  stop(): Promise<void>
}

/** Starts the platform's wallet bridge and simulator page on one server, which tests can stop. */
export async function startWalletServer(
  port: number,
  prove?: ProvingTools['prove'],
): Promise<WalletServer> {
  const world: WalletWorld = { rpcUrl: '' }
  const tools = walletTools(world, prove)
  const web = express().use(createSimulatorPage(tools), createWalletBridge())
  let server: Server
  const start = async () => {
    server = createServer(web)
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  }
  await start()
  return {
    url: `http://localhost:${port}`,
    setChain: (rpcUrl, baseUrl) => Object.assign(world, { rpcUrl, baseUrl }),
    start,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
