import { createServer, type Server } from 'node:http'
import { expect, inject } from 'vitest'
import { CHAIN_ID } from '../../../chain/local-chain.ts'
import { readConfig } from '../../../lib/config.ts'
import { freePort } from '../../../lib/process/free-port.ts'
import { createLogger } from '../../../lib/telemetry/log.ts'
import { developmentKey } from '../../../simulator/development-key/development-key.ts'
import { app } from '../../../webhooks/app.ts'
import {
  formatApiKey,
  hashApiKey,
  makeApiKeySecret,
} from '../../../webhooks/credentials/api-key.ts'
import { forwardSockets } from '../../../webhooks/proxy/forward-sockets.ts'
import { startServices } from '../../../webhooks/services.ts'
import { startChain } from '../chain.ts'
import { type Database, database } from '../database.ts'
import { serveEngineHere } from '../engine/serve-here.ts'
import type { RunningEngine, ServedEngine } from '../engine/start-engine.ts'
import { givenHasura, serveFolderOnGiven } from '../hasura/given-hasura.ts'
import { watch } from './contract.ts'

/** Of the engine that tests start, or of the given Hasura. */
export const ADMIN_SECRET = inject('hasura')?.adminSecret ?? 'admin-secret-of-these-tests-only'
export const PEPPER = 'pepper-of-these-tests-and-no-others'
export const CLIENT_SECRET_PEPPER = 'pepper-of-client-secrets-in-tests'
export const INTERNAL_SECRET = 'secret-that-only-hasura-may-know'
export const LOGIN_TOKEN_SECRET = 'secret-of-login-tokens-in-these-tests-'.repeat(2)
export const SIGNING_KEY_SECRET = 'secret-that-seals-the-keys-of-tests'

/** The clock of the services alone: it can be moved forward, or stopped. */
type Clock = { aheadMs: number; stoppedAt: number | null }

type EngineSettings = (baseUrl: string) => Record<string, string>

export type TestPlatform = PlatformOn<ServedEngine>

/** One whose engine is of the given kind. */
export type PlatformOn<E extends ServedEngine> = Awaited<ReturnType<typeof startPlatformOn<E>>>

/** The developer API on a free port, with an engine, a chain and a database of its own. */
export function startTestPlatform(
  environment: Record<string, string> = {},
  engineSettings: EngineSettings = () => ({}),
) {
  return startPlatformOn(serveEngineHere, environment, engineSettings)
}

type StartEngine<E> = (url: string, environment: Record<string, string>) => Promise<E>

/** The same on an engine of the given kind: one that the test may kill, or that shares its thread with nobody. */
export async function startPlatformOn<E extends ServedEngine>(
  startEngine: StartEngine<E>,
  environment: Record<string, string> = {},
  engineSettings: EngineSettings = () => ({}),
) {
  const [db, { addresses, ...anvil }] = await Promise.all([database('platform'), startChain()])
  const given = givenHasura()
  const port = given ? given.hook.port : await freePort()
  const baseUrl = `http://127.0.0.1:${port}`
  const settings = { ...engineEnvironment(baseUrl), ...engineSettings(baseUrl) }
  const engine = await servePlatform(startEngine, db, settings)
  const clock: Clock = { aheadMs: 0, stoppedAt: null }
  const env = {
    ...(await webhooksEnvironment(engine.url, anvil.rpcUrl)),
    BASE_URL: baseUrl,
    ...environment,
  }
  const now = () => (clock.stoppedAt ?? Date.now()) + clock.aheadMs
  const seen = new Set<string>()
  const host = given?.hook.host ?? LOOPBACK
  const instance = await startInstance({ env, host, port, now, seen })
  // A test may put a restarted engine or chain in the place of the one it ended.
  const parts = { engine, anvil }
  return Object.assign(parts, {
    baseUrl,
    db,
    groups: addresses.groups,
    env,
    clock,
    /** Every documented answer that it gave. */
    seen,
    post: (path: string, body: unknown, headers?: Record<string, string>) =>
      post(`${baseUrl}${path}`, body, headers),
    team: () => makeTeam(db),
    app: (fields: AppFields) => makeApp(db, fields),
    action: (appId: string, fields?: ActionFields) => makeAction(db, appId, fields),
    /** Another instance of the developer API, on the same engine unless its environment says otherwise. */
    anotherInstance: async (different: Record<string, string> = {}) =>
      startInstance({
        env: { ...env, ...different },
        host: LOOPBACK,
        port: await freePort(),
        now,
        seen,
      }),
    async stop() {
      await instance.stop()
      await parts.engine.stop()
      await parts.anvil.stop()
      await db.drop()
    },
  })
}

const LOOPBACK = '127.0.0.1'

/**
 * Serves `hasura/` on an engine of its own, or on the Hasura of `npm run test:hasura`: there only WEBHOOKS_URL can be chosen,
 * and the other settings make a test quicker.
 */
async function servePlatform<E extends ServedEngine>(
  startEngine: StartEngine<E>,
  db: Database,
  settings: Record<string, string>,
): Promise<E | RunningEngine> {
  const given = givenHasura()
  if (!given) return startEngine(db.as('hasura'), settings)
  return serveFolderOnGiven(given, {
    databaseUrl: db.as('hasura'),
    webhooksUrl: settings.WEBHOOKS_URL === NOWHERE ? NOWHERE : given.hook.origin,
    internalAuthorization: settings.INTERNAL_AUTHORIZATION ?? '',
  })
}

type Instance = {
  env: Record<string, string>
  host: string
  port: number
  now: () => number
  seen: Set<string>
}

/** An instance whose every answer is compared with `/openapi.json`. */
async function startInstance({ env, host, port, now, seen }: Instance) {
  const log = createLogger('test', 'silent')
  const services = await startServices(readConfig(env), { log, now })
  const handle = app(services)
  const faults: string[] = []
  const judgeLater = watch(faults, seen)
  const server = createServer((request, response) => {
    judgeLater(request, response)
    handle(request, response)
  })
  const sockets = forwardSockets({
    ...services.hasura,
    baseUrl: services.baseUrl,
    idleMs: 60_000,
    trustedProxyHops: 0,
    gate: services.gate,
    callers: services.callers,
    log,
  })
  server.on('upgrade', sockets.upgrade)
  await new Promise<void>((resolve) => server.listen(port, host, resolve))
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    async stop() {
      sockets.close()
      await close(server)
      await services.close()
      expect(faults, 'answers that /openapi.json does not have').toEqual([])
    },
  }
}

const NOWHERE = 'http://127.0.0.1:9'

export function engineEnvironment(baseUrl: string) {
  return {
    HASURA_GRAPHQL_ADMIN_SECRET: ADMIN_SECRET,
    HASURA_GRAPHQL_METADATA_DIR: 'hasura/metadata',
    HASURA_GRAPHQL_AUTH_HOOK: `${baseUrl}/hasura/auth`,
    HASURA_GRAPHQL_AUTH_HOOK_MODE: 'POST',
    HASURA_GRAPHQL_PRESERVE_401_ERRORS: 'true',
    // Nothing listens there: otherwise tests would depend on the minute at which a schedule is due.
    WEBHOOKS_URL: NOWHERE,
    INTERNAL_AUTHORIZATION: `Bearer ${INTERNAL_SECRET}`,
    HASURA_GRAPHQL_STRINGIFY_NUMERIC_TYPES: 'true',
  }
}

/** Tests send more per second than callers may; tests of the limits set their own. */
const NO_LIMITS = Object.fromEntries(
  [
    'VERIFY',
    'PRECHECK',
    'PRECHECK_ACTION',
    'SIGNUP',
    'LOGIN',
    'LOGIN_EMAIL',
    'LOGIN_UNKNOWN_DEVICE',
    'LOGIN_UNKNOWN_DEVICES',
    'RESEND',
    'FORGOT_PASSWORD',
    'VERIFY_EMAIL',
    'TRANSACTION',
    'PRICES',
  ].map((name) => [`RATE_LIMIT_${name}`, '1000000/60']),
)

/** Parts that are down refuse connections; parts that answer may be as slow as the machine is. */
export const PATIENCE = { HASURA_TIMEOUT_MS: '30000', CHAIN_TIMEOUT_MS: '30000' }

async function webhooksEnvironment(engineUrl: string, rpcUrl: string) {
  const key = await developmentKey()
  return {
    NODE_ENV: 'test',
    ...NO_LIMITS,
    ...PATIENCE,
    HASURA_GRAPHQL_ENDPOINT: engineUrl,
    HASURA_GRAPHQL_ADMIN_SECRET: ADMIN_SECRET,
    API_KEY_PEPPER: PEPPER,
    CLIENT_SECRET_PEPPER,
    LOGIN_TOKEN_SECRET,
    INTERNAL_SECRET,
    // Nothing listens there: tests of mail start a server of their own.
    SMTP_URL: 'smtp://127.0.0.1:9',
    CHAIN_RPC_URL: rpcUrl,
    PAYMENT_CHAINS: JSON.stringify({ local: { rpc_url: rpcUrl, chain_id: CHAIN_ID } }),
    VERIFICATION_KEYS_STAGING: 'development,semaphore-v3-depth-30',
    DEVELOPMENT_KEY_FILE: key.verificationKeyFile,
    VERIFIER_THREADS: '1',
    VERIFY_V1_SUNSET: 'never',
    SIGNING_KEY_SECRET,
  }
}

export type Reply = { status: number; headers: Headers; body: unknown }

/** Sends JSON, or a string or bytes as they are. */
export async function post(
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const asIs = typeof body === 'string' || body instanceof Uint8Array
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: asIs ? body : JSON.stringify(body),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text && JSON.parse(text) }
}

type Team = { id: string; apiKey: string; keyId: string }
type AppFields = { team: Team; id?: string; is_staging?: boolean; engine?: string; status?: string }
type ActionFields = {
  id?: string
  action?: string
  max_verifications?: number
  status?: string
  return_url?: string
}

/** A team with an API key. */
export async function makeTeam(db: Pick<Database, 'query'>): Promise<Team> {
  const { rows } = await db.query("insert into team (name) values ('Team') returning id")
  const id: string = rows[0].id
  const made = await db.query(
    "insert into api_key (team_id, name, secret_hash) values ($1, 'Key', repeat('0', 64)) returning id",
    [id],
  )
  const key = { id: made.rows[0].id, secret: makeApiKeySecret() }
  await db.query('update api_key set secret_hash = $2 where id = $1', [
    key.id,
    hashApiKey([PEPPER], key),
  ])
  return { id, apiKey: formatApiKey(key), keyId: key.id }
}

async function makeApp(db: Database, fields: AppFields): Promise<string> {
  const { team, id = null, is_staging = true, engine = 'cloud', status = 'active' } = fields
  await db.query('begin')
  if (id) await db.query("set local platform.fixed_ids = 'on'")
  const { rows } = await db.query(
    "insert into app (id, team_id, name, is_staging, engine, status) values ($1, $2, 'App', $3, $4, $5) returning id",
    [id, team.id, is_staging, engine, status],
  )
  await db.query('commit')
  return rows[0].id
}

async function makeAction(db: Database, appId: string, fields: ActionFields = {}): Promise<string> {
  const { id = null, action = 'vote', max_verifications = 1 } = fields
  const { status = 'active', return_url = '' } = fields
  await db.query('begin')
  if (id) await db.query("set local platform.fixed_ids = 'on'")
  const { rows } = await db.query(
    'insert into action (id, app_id, action, max_verifications, status, return_url) values ($1, $2, $3, $4, $5, $6) returning id',
    [id, appId, action, max_verifications, status, return_url],
  )
  await db.query('commit')
  return rows[0].id
}

async function close(server: Server) {
  const closed = new Promise((resolve) => server.close(resolve))
  server.closeAllConnections()
  await closed
}
