import { createServer, type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { listenOn } from '../../../lib/runtime/http/listen.ts'
import { freePort } from '../../../local/process/free-port.ts'
import { expectThat, type World } from './world.ts'

/** The requests per minute that an address may send. */
const LIMIT = 5
/** The largest number of requests to send. Instances exchange their counts with a delay, so a caller may exceed the limit. */
const MAX_REQUESTS = 200
/** The time after which every instance knows the counts of the others, which they exchange several times a second. */
const SETTLE_MS = 1_000

/**
 * Gives the stack the settings of docs/operations/install.md for a TLS terminator, and starts a stand-in for the terminator in front of
 * the proxy. The rate limit must still count each caller separately.
 */
export async function testTlsTerminator(world: World): Promise<string> {
  const { stack, baseUrl } = world
  const { port } = new URL(baseUrl)
  const authPort = new URL(world.authUrl).port
  const gateway = await stack.asDocumented('docs/operations/install.md', 'gateway')
  const names = [
    'PROXY_API_ADDRESS',
    'PROXY_SIGN_IN_ADDRESS',
    'TRUSTED_PROXIES',
    'TRUSTED_PROXY_HOPS',
    'RATE_LIMIT_PRICES',
  ]
  const oldValues = Object.fromEntries(names.map((name) => [name, stack.envFile.value(name)]))
  stack.envFile.change({
    PROXY_API_ADDRESS: `127.0.0.1:${port}`,
    PROXY_SIGN_IN_ADDRESS: `127.0.0.1:${authPort}`,
    TRUSTED_PROXIES: gateway,
    TRUSTED_PROXY_HOPS: '2',
    RATE_LIMIT_PRICES: `${LIMIT}/60`,
  })
  await stack.asDocumented('docs/operations/install.md', 'start')
  const terminator = await startTerminator(Number(port))
  try {
    const responseCount = await requestUntilLimit(terminator.port, '127.0.0.2')
    const second = await requestPrices(terminator.port, '127.0.0.3')
    expectThat(second === 200, `the second caller must get 200; got ${second}`)
    await sleep(SETTLE_MS)
    const retry = await requestPrices(terminator.port, '127.0.0.2')
    expectThat(retry === 429, `the first caller must get 429 again; got ${retry}`)
    return `one caller is rejected after ${responseCount} responses, another is not`
  } finally {
    terminator.stop()
    stack.envFile.change(oldValues)
  }
}

/** Forwards requests to the proxy with the caller's address in X-Forwarded-For. It uses plain HTTP, because TLS does not matter here. */
async function startTerminator(proxyPort: number) {
  const server = createServer((incoming, response) => {
    const { url: path, method, socket } = incoming
    const headers = {
      ...incoming.headers,
      'x-forwarded-for': socket.remoteAddress,
      'x-forwarded-proto': 'https',
    }
    const outgoing = request({ port: proxyPort, path, method, headers })
    outgoing.once('response', (proxyResponse: IncomingMessage) => {
      response.writeHead(proxyResponse.statusCode ?? 502, proxyResponse.headers)
      proxyResponse.pipe(response)
    })
    incoming.pipe(outgoing)
  })
  const port = await freePort()
  await listenOn(server, { host: '127.0.0.1', port })
  return { port, stop: () => server.close() }
}

/** @returns the number of responses that an address got before its first 429 */
async function requestUntilLimit(port: number, localAddress: string): Promise<number> {
  for (let responseCount = 0; responseCount < MAX_REQUESTS; responseCount++)
    if ((await requestPrices(port, localAddress)) === 429) return responseCount
  throw new Error(`none of ${MAX_REQUESTS} requests got 429`)
}

async function requestPrices(port: number, localAddress: string): Promise<number> {
  const path = '/public/v1/miniapps/prices?cryptoCurrencies=WLD&fiatCurrencies=USD'
  const call = request({ host: '127.0.0.1', port, path, localAddress }).end()
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    call.once('response', resolve).once('error', reject)
  })
  response.resume()
  return response.statusCode ?? 0
}
