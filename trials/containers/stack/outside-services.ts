import { createServer as createHttpServer, request } from 'node:http'
import { connect, createServer, type Server } from 'node:net'
import { listenOn } from '../../../lib/runtime/http/listen.ts'
import { startAnvil } from '../../../local/chain/anvil.ts'
import { CHAIN_ID } from '../../../local/chain/local-chain.ts'
import { freePort } from '../../../local/process/free-port.ts'
import { deployContracts } from '../../../packages/platform/first-data/deploy-contracts.ts'
import { startMailCatcher } from '../../../packages/platform/parts/mail-catcher.ts'
import { startPriceProvider } from '../../../packages/platform/parts/price-provider.ts'
import { mustRun } from '../programs.ts'

/** The services outside the stack: a chain, a mail server, a price provider. */
export type OutsideServices = {
  /** The URLs on this machine. */
  rpcUrl: string
  mailUrl: string
  /** The variables of `.env` with the URLs for the containers. */
  variables: Record<string, string>
  stop(): Promise<void>
}

/** Starts the services on this machine. The containers reach them at this machine's address on Docker's bridge. */
export async function startOutsideServices(env: NodeJS.ProcessEnv): Promise<OutsideServices> {
  const format = '{{(index .IPAM.Config 0).Gateway}}'
  const bridge = await mustRun(['docker', 'network', 'inspect', 'bridge', '--format', format], {
    env,
  })
  const ports = { SMTP_PORT: await freePort(), MAIL_PAGE_PORT: await freePort() }
  const chainPort = await freePort()
  const pricePort = await freePort()
  const anvil = await startAnvil({ port: chainPort })
  await deployContracts(anvil.rpcUrl)
  const mail = await startMailCatcher(ports)
  const prices = await startPriceProvider(pricePort)
  const forwards = await Promise.all([
    forwardToChain(bridge, chainPort),
    forwardPort(bridge, ports.SMTP_PORT),
    forwardPort(bridge, pricePort),
  ])
  const fromContainers = (url: string) => url.replace(/127\.0\.0\.1|localhost/, bridge)
  return {
    rpcUrl: anvil.rpcUrl,
    mailUrl: mail.pageUrl,
    variables: {
      CHAIN_RPC_URL: fromContainers(anvil.rpcUrl),
      CHAIN_ID: String(CHAIN_ID),
      SMTP_URL: fromContainers(mail.smtpUrl),
      PRICE_PROVIDER_URL: fromContainers(prices.url),
    },
    async stop() {
      for (const forward of forwards) forward.close()
      await prices.stop()
      await mail.stop()
      await anvil.stop()
    },
  }
}

/** Forwards a port of the bridge to the same port on loopback, where the service listens. */
async function forwardPort(host: string, port: number): Promise<Server> {
  const server = createServer((socket) => {
    const other = connect(port, '127.0.0.1')
    socket.on('error', () => other.destroy())
    other.on('error', () => socket.destroy())
    socket.pipe(other).pipe(socket)
  })
  await listenOn(server, { host, port })
  return server
}

/** Forwards a port of the bridge to the chain. Sets the Host header, because the chain accepts only names of this machine. */
async function forwardToChain(host: string, port: number): Promise<Server> {
  const server = createHttpServer((incoming, response) => {
    const { method, url } = incoming
    const headers = { ...incoming.headers, host: `127.0.0.1:${port}` }
    const outgoing = request({ port, method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    outgoing.on('error', () => response.destroy())
    incoming.pipe(outgoing)
  })
  await listenOn(server, { host, port })
  return server
}
