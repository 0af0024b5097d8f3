import { createServer, type IncomingMessage, request } from 'node:http'
import { listenOn } from '../../../lib/runtime/http/listen.ts'
import { freePort } from '../../../local/process/free-port.ts'
import { expectThat, type World } from './world.ts'

/** What each address may ask for here, in a minute; and how many answers it may get before that is known everywhere. */
const LIMIT = 5
const MOST = 200

/**
 * A program on this machine that ends TLS, in front of the proxy, as docs/operations/install.md says: callers behind it are told
 * apart, and nobody passes it by.
 */
export async function standBehindTerminator(world: World): Promise<string> {
  const { stack, baseUrl } = world
  const { port } = new URL(baseUrl)
  const authPort = new URL(world.authUrl).port
  const gateway = await stack.asDocumented('docs/operations/install.md', 'gateway')
  const before = [
    'WEBHOOKS_PORT',
    'OIDC_PORT',
    'TRUSTED_PROXIES',
    'TRUSTED_PROXY_HOPS',
    'RATE_LIMIT_PRICES',
  ]
  const restored = Object.fromEntries(before.map((name) => [name, stack.envFile.value(name)]))
  stack.envFile.change({
    WEBHOOKS_PORT: `127.0.0.1:${port}`,
    OIDC_PORT: `127.0.0.1:${authPort}`,
    TRUSTED_PROXIES: gateway,
    TRUSTED_PROXY_HOPS: '2',
    RATE_LIMIT_PRICES: `${LIMIT}/60`,
  })
  await stack.asDocumented('docs/operations/install.md', 'start')
  const terminator = await startTerminator(Number(port))
  try {
    const first = await askUntilRefused(terminator.port, '127.0.0.2')
    const second = await askOnce(terminator.port, '127.0.0.3')
    expectThat(
      second === 200,
      `a second caller is told ${second} when the first has asked too much`,
    )
    const again = await askOnce(terminator.port, '127.0.0.2')
    expectThat(again === 429, `the first caller is told ${again} again`)
    return `one caller is rejected after ${first} responses, another is not`
  } finally {
    terminator.stop()
    stack.envFile.change(restored)
  }
}

/** Passes requests on to the proxy, and says whose they are. It speaks plain HTTP: what it does with TLS does not matter here. */
async function startTerminator(proxyPort: number) {
  const server = createServer((received, answer) => {
    const headers = {
      ...received.headers,
      'x-forwarded-for': received.socket.remoteAddress,
      'x-forwarded-proto': 'https',
    }
    const call = request({ port: proxyPort, path: received.url, method: received.method, headers })
    call.once('response', (response: IncomingMessage) => {
      answer.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(answer)
    })
    received.pipe(call)
  })
  const port = await freePort()
  await listenOn(server, { host: '127.0.0.1', port })
  return { port, stop: () => server.close() }
}

/** @returns how many answers an address got before it was refused: the instances add up what they count a few times a second */
async function askUntilRefused(port: number, localAddress: string): Promise<number> {
  for (let asked = 0; asked < MOST; asked++)
    if ((await askOnce(port, localAddress)) === 429) return asked
  throw new Error(`${MOST} answers, and no limit`)
}

async function askOnce(port: number, localAddress: string): Promise<number> {
  const path = '/public/v1/miniapps/prices?cryptoCurrencies=WLD&fiatCurrencies=USD'
  const call = request({ host: '127.0.0.1', port, path, localAddress }).end()
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    call.once('response', resolve).once('error', reject)
  })
  response.resume()
  return response.statusCode ?? 0
}
