import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../local/process/free-port.ts'
import { isInstalled } from '../support/docs/programs.ts'
import { startProxy } from '../support/operations/caddy.ts'

const hasCaddy = isInstalled('caddy', 'version')

describe.runIf(hasCaddy)('the reverse proxy, if Caddy is installed', () => {
  /** Imitates the developer API behind the proxy. No sign-in server runs. */
  const service = createServer(({ headers, url }, response) =>
    response.end(JSON.stringify({ headers, url })),
  )
  let proxy: Awaited<ReturnType<typeof startProxy>>

  beforeAll(async () => {
    await once(service.listen(0, '127.0.0.1'), 'listening')
    proxy = await startProxy({
      apiPort: Object(service.address()).port,
      signInPort: await freePort(),
      trustedProxies: '10.0.0.0/8 127.0.0.9/32',
    })
  })
  afterAll(async () => {
    await proxy.stop()
    service.close()
  })

  test('a caller cannot forge its address with x-forwarded-for', async () => {
    const { body } = await get('api', '/x', { 'x-forwarded-for': '6.6.6.6' })
    expect(body.headers).toMatchObject({ 'x-forwarded-for': '127.0.0.1' })
  })

  test('a trusted proxy in front passes on the address of the caller', async () => {
    const forwarded = { 'x-forwarded-for': '6.6.6.6', 'x-forwarded-proto': 'https' }
    const { body } = await get('api', '/x', forwarded, '127.0.0.9')
    expect(body.headers).toMatchObject({
      'x-forwarded-for': '6.6.6.6, 127.0.0.9',
      'x-forwarded-proto': 'https',
    })
  })

  test.each([
    '/api/_mail',
    '/api//_mail',
    '/api/%5Fmail',
    '/API/_mail',
    '/x/../hasura/auth',
    '//hasura/auth',
    '/hasura%2Fauth',
    '/readyz',
    '/readyz/',
  ])('%s is internal and gets 404 from outside', async (path) => {
    const reply = await get('api', path)
    expect(reply).toMatchObject({ status: 404, body: { code: 'not_found' } })
  })

  test('callers get 503 in the form of the service if no instance can be reached', async () => {
    const reply = await get('signIn', '/.well-known/openid-configuration')
    expect(reply).toMatchObject({
      status: 503,
      headers: { 'content-type': 'application/json', 'retry-after': '1' },
      body: { code: 'unavailable', attribute: null, error: 'temporarily_unavailable' },
    })
  })

  /** Sends the path unchanged; `fetch` would normalise it. */
  async function get(
    name: keyof typeof proxy.ports,
    path: string,
    headers: IncomingHttpHeaders = {},
    localAddress = '127.0.0.1',
  ) {
    const call = request({
      host: '127.0.0.1',
      port: proxy.ports[name],
      path,
      headers,
      localAddress,
    }).end()
    const [response] = await once(call, 'response')
    const text = Buffer.concat(await response.toArray()).toString()
    const isJson = text.startsWith('{')
    return {
      status: Number(response.statusCode),
      headers: response.headers,
      body: isJson ? JSON.parse(text) : text,
    }
  }
})
