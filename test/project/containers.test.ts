import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest'
import { REAL_PROOF } from '../../lib/proof/examples/real-requests.ts'
import { startAnvil } from '../../local/chain/anvil.ts'
import { deployChain } from '../../local/chain/deploy.ts'
import { CHAIN_ID } from '../../local/chain/local-chain.ts'
import { publishRoot } from '../../local/chain/publish-root.ts'
import { freePort } from '../../local/process/free-port.ts'
import { startEngine } from '../../packages/engine/test/support/start-engine.ts'
import { createRoles, type DatabaseUrls } from '../../packages/platform/parts/database-roles.ts'
import { ensurePortal } from '../../portal/build/ensure-portal.ts'
import { compose, interpolate, operatorEnvironment, readEnvironment } from '../support/compose.ts'
import { type Database, database } from '../support/database.ts'
import { findLastInstruction, listCopiedPaths } from '../support/dockerfile.ts'
import { post } from '../support/webhooks/start-platform.ts'

/** The folder with the contents of the images. The test starts the same files and entry points as compose, with the same environments. */
const folder = mkdtempSync(join(tmpdir(), 'image-'))
const ports = { webhooks: 0, oidc: 0, hasura: 0 }
let db: Database
/** The folder of the built portal. */
let portal: string
let urls: DatabaseUrls
let stops: (() => Promise<unknown>)[] = []

const urlOf = (name: keyof typeof ports) => `http://127.0.0.1:${ports[name]}`

beforeAll(async () => {
  db = await database()
  portal = await ensurePortal('.cache')
  const anvil = await startAnvil({ port: await freePort() })
  stops = [anvil.stop]
  await deployChain(anvil.rpcUrl)
  await publishRoot({
    rpcUrl: anvil.rpcUrl,
    group: 'production',
    root: BigInt(REAL_PROOF.body.merkle_root),
  })
  for (const name of ['webhooks', 'oidc', 'hasura'] as const) ports[name] = await freePort()
  urls = await createRoles(db.url, inject('rolePasswords'))
  const env = {
    ...operatorEnvironment,
    CHAIN_RPC_URL: anvil.rpcUrl,
    CHAIN_ID: String(CHAIN_ID),
    VERIFIER_THREADS: '1',
  }
  const environmentOf = (name: string) =>
    onThisMachine(readEnvironment(compose.services[name], env))
  const engine = await startEngine(urls.hasuraUrl, {
    ...environmentOf('hasura'),
    HASURA_GRAPHQL_SERVER_PORT: String(ports.hasura),
    HASURA_GRAPHQL_MIGRATIONS_DIR: 'hasura/migrations',
    HASURA_GRAPHQL_METADATA_DIR: 'hasura/metadata',
    // Hasura's schedules must not call the developer API during the test.
    WEBHOOKS_URL: 'http://127.0.0.1:9',
  })
  stops.unshift(engine.stop)
  for (const name of ['webhooks', 'oidc'] as const) {
    const testPorts = {
      [`${name.toUpperCase()}_PORT`]: String(ports[name]),
      METRICS_PORT: String(await freePort()),
    }
    const child = start(name, { ...environmentOf(name), ...testPorts })
    stops.unshift(() => end(child))
  }
  for (const name of ['webhooks', 'oidc'] as const)
    await vi.waitFor(async () => expect((await fetch(`${urlOf(name)}/readyz`)).status).toBe(200), {
      timeout: 60_000,
    })
})
afterAll(async () => {
  for (const stop of stops) await stop()
  await db.drop()
  rmSync(folder, { recursive: true })
})

test('the developer API of the image verifies a real proof', async () => {
  await db.query(readFileSync('hasura/seeds/default/demo.sql', 'utf8'))
  const path = `/api/v2/verify/${REAL_PROOF.appId}`
  const reply = await post(urlOf('webhooks') + path, REAL_PROOF.body)
  expect(reply).toMatchObject({ status: 200, body: { success: true } })
})

test('the sign-in server of the image registers a client, and shows the sign-in page', async () => {
  const { client_id } = await register(urlOf('oidc'))
  const query = new URLSearchParams({
    response_type: 'code',
    scope: 'openid',
    client_id,
    redirect_uri: CALLBACK,
  })
  const redirect = await fetch(`${urlOf('oidc')}/authorize?${query}`, {
    redirect: 'manual',
    headers: BEHIND_TLS,
  })
  const cookie = redirect.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ')
  expect(redirect.headers.getSetCookie().join()).toContain('secure')
  const pageUrl = new URL(redirect.headers.get('location') ?? '', operatorEnvironment.AUTH_URL)
  expect(pageUrl.origin).toBe(operatorEnvironment.AUTH_URL)
  const page = await fetch(urlOf('oidc') + pageUrl.pathname, { headers: { ...BEHIND_TLS, cookie } })
  expect(page.status).toBe(200)
  expect(await page.text()).toContain('id="facts"')
})

test("only the operator's Hasura has the metadata API, and requires the admin secret", async () => {
  const operatorPort = await freePort()
  const engine = await startEngine(urls.hasuraUrl, {
    ...onThisMachine(readEnvironment(compose.services.operator, operatorEnvironment)),
    HASURA_GRAPHQL_SERVER_PORT: String(operatorPort),
    WEBHOOKS_URL: 'http://127.0.0.1:9',
  })
  stops.unshift(engine.stop)
  const request = { type: 'export_metadata', args: {} }
  const admin = { 'x-hasura-admin-secret': operatorEnvironment.HASURA_GRAPHQL_ADMIN_SECRET }
  const path = '/v1/metadata'
  expect(await post(`http://127.0.0.1:${operatorPort}${path}`, request, admin)).toMatchObject({
    status: 200,
    body: { version: 3 },
  })
  expect((await post(`http://127.0.0.1:${operatorPort}${path}`, request)).status).toBe(401)
  expect((await post(urlOf('hasura') + path, request, admin)).status).toBe(404)
})

test('the health checks succeed for running services, and fail for an unused port', () => {
  const hasura = compose.services.hasura?.healthcheck?.test.slice(1) ?? []
  expect(run(hasura, '8080', ports.hasura)).toBe(0)
  expect(run(hasura, '8080', 9)).not.toBe(0)
  for (const [name, port] of [
    ['webhooks', '3000'],
    ['oidc', '3001'],
  ] as const) {
    const command = JSON.parse(
      /CMD (\[.*\])/.exec(findLastInstruction(name, 'HEALTHCHECK'))?.[1] ?? '[]',
    )
    expect(run(command, port, ports[name])).toBe(0)
    expect(run(command, port, 9)).not.toBe(0)
  }
})

test('every webhook in the metadata and the compose file exists, and rejects a request without credentials', async () => {
  const metadata = readdirSync('hasura/metadata', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => readFileSync(join('hasura/metadata', file), 'utf8'))
    .join('\n')
  const paths = [...metadata.matchAll(/\{\{WEBHOOKS_URL\}\}(\/[\w/-]+)/g)].map(([, path]) => path)
  const { HASURA_GRAPHQL_AUTH_HOOK } = readEnvironment(compose.services.hasura, operatorEnvironment)
  for (const path of new Set([...paths, new URL(String(HASURA_GRAPHQL_AUTH_HOOK)).pathname])) {
    const reply = await post(`${urlOf('webhooks')}${path}`, { headers: {} })
    expect([path, reply.status]).toEqual([path, expect.toBeOneOf([401, 403])])
  }
})

const CALLBACK = 'https://rp.example/callback'

/** The headers that the proxy adds to a request over TLS. */
const BEHIND_TLS = { 'x-forwarded-proto': 'https' }

async function register(url: string): Promise<{ client_id: string }> {
  const response = await fetch(`${url}/register`, {
    method: 'POST',
    headers: { ...BEHIND_TLS, 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'Shop', redirect_uris: [CALLBACK] }),
  })
  expect(response.status).toBe(201)
  return JSON.parse(await response.text())
}

/** Replaces the addresses of containers and of the database with addresses of this machine. */
function onThisMachine(env: Record<string, string>) {
  const { DATABASE_URL = '' } = readEnvironment(compose.services.oidc, operatorEnvironment)
  const { HASURA_GRAPHQL_DATABASE_URL = '' } = readEnvironment(
    compose.services.hasura,
    operatorEnvironment,
  )
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [
      name,
      value
        .replace('//webhooks:3000', `//127.0.0.1:${ports.webhooks}`)
        .replace('//hasura:8080', `//127.0.0.1:${ports.hasura}`)
        .replace(DATABASE_URL, urls.signInUrl)
        .replace(HASURA_GRAPHQL_DATABASE_URL, urls.hasuraUrl),
    ]),
  )
}

/** Starts the command of an image, in a folder with only the files of the image. */
function start(target: string, env: Record<string, string>): ChildProcess {
  const cwd = join(folder, target)
  for (const path of listCopiedPaths(target)) cpSync(path, join(cwd, path), { recursive: true })
  if (target === 'webhooks') cpSync(portal, join(cwd, 'portal'), { recursive: true })
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
  for (const name of Object.keys(dependencies)) {
    const link = join(cwd, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(process.cwd(), 'node_modules', name), link)
  }
  const [, ...args] = JSON.parse(findLastInstruction(target, 'CMD'))
  return spawn(process.execPath, args, {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

async function end(child: ChildProcess) {
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  await exit
}

/** Runs the health check of a container on another port; returns the exit code. */
function run(command: string[], port: string, testPort: number): number | null {
  const [program = '', ...args] = command.map((part) =>
    interpolate(part, {}).replaceAll(port, String(testPort)),
  )
  return spawnSync(program, args, { env: { PATH: process.env.PATH } }).status
}
