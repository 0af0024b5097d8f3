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

/** What the platform uses and other people run: a chain, a mail server, a price provider. */
export type Surroundings = {
  /** For this machine. */
  rpcUrl: string
  mailUrl: string
  /** For the containers, as `.env` has it. */
  variables: Record<string, string>
  stop(): Promise<void>
}

/** Starts them on this machine, where the containers reach them by the address that this machine has on Docker's bridge. */
export async function startSurroundings(env: NodeJS.ProcessEnv): Promise<Surroundings> {
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
  const ways = await Promise.all([
    openChainWay(bridge, chainPort),
    openWay(bridge, ports.SMTP_PORT),
    openWay(bridge, pricePort),
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
      for (const way of ways) way.close()
      await prices.stop()
      await mail.stop()
      await anvil.stop()
    },
  }
}

/** They listen on loopback alone: this leads from the same port of the bridge to it. */
async function openWay(host: string, port: number): Promise<Server> {
  const server = createServer((socket) => {
    const other = connect(port, '127.0.0.1')
    socket.on('error', () => other.destroy())
    other.on('error', () => socket.destroy())
    socket.pipe(other).pipe(socket)
  })
  await listenOn(server, { host, port })
  return server
}

/** The same for the chain, which answers under the names of this machine alone: the requests get its name as their host. */
async function openChainWay(host: string, port: number): Promise<Server> {
  const server = createHttpServer((incoming, response) => {
    const { method, url, headers } = incoming
    const own = { ...headers, host: `127.0.0.1:${port}` }
    const outgoing = request({ port, method, path: url, headers: own }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    outgoing.on('error', () => response.destroy())
    incoming.pipe(outgoing)
  })
  await listenOn(server, { host, port })
  return server
}
