import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { freePort } from '../../local/process/free-port.ts'

const hasCaddy = spawnSync('caddy', ['version']).status === 0

describe.runIf(hasCaddy)('the reverse proxy, if Caddy is installed', () => {
  let folder: string
  /** Imitates the developer API behind the proxy. No sign-in server runs. */
  const service = createServer(({ headers, url }, response) =>
    response.end(JSON.stringify({ headers, url })),
  )
  const ports = { api: 0, signIn: 0, health: 0 }
  let end: () => Promise<unknown>

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'proxy-'))
    await once(service.listen(0, '127.0.0.1'), 'listening')
    for (const name of ['api', 'signIn', 'health'] as const) ports[name] = await freePort()
    const config = readFileSync('ops/Caddyfile', 'utf8')
      .replace(':3000 {', `:${ports.api} {`)
      .replace(':3001 {', `:${ports.signIn} {`)
      .replace(':2080 {', `:${ports.health} {`)
      .replace('webhooks 3000', `localhost ${Object(service.address()).port}`)
      .replace('oidc 3001', `localhost ${await freePort()}`)
    const file = join(folder, 'Caddyfile')
    writeFileSync(file, config)
    const env = { PATH: process.env.PATH, HOME: folder, TRUSTED_PROXIES: '10.0.0.0/8 127.0.0.9/32' }
    const options = ['run', '--adapter', 'caddyfile', '--config', file]
    const caddy = spawn('caddy', options, { env, stdio: 'ignore' })
    end = async () => {
      caddy.kill('SIGTERM')
      await once(caddy, 'exit')
    }
    await vi.waitFor(async () => expect((await get('health', '/')).status).toBe(200), 60_000)
  })
  afterAll(async () => {
    await end()
    service.close()
    rmSync(folder, { recursive: true })
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
    name: keyof typeof ports,
    path: string,
    headers: IncomingHttpHeaders = {},
    localAddress = '127.0.0.1',
  ) {
    const call = request({
      host: '127.0.0.1',
      port: ports[name],
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
