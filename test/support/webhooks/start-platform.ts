import { freePort } from '../../../local/process/free-port.ts'
import { serveEngineHere } from '../../../packages/engine/test/support/serve-here.ts'
import type {
  RunningEngine,
  ServedEngine,
} from '../../../packages/engine/test/support/start-engine.ts'
import { startChain } from '../chain.ts'
import { type Database, database } from '../database.ts'
import { givenHasura, serveFolderOnGiven } from '../hasura/given-hasura.ts'
import { engineEnvironment, NOWHERE, webhooksEnvironment } from './platform-environment.ts'
import { rowsIn } from './platform-rows.ts'
import { startInstance } from './watched-instance.ts'

/** The clock of the services, which a test can move forward or stop. */
type Clock = { aheadMs: number; stoppedAt: number | null }

const LOOPBACK = '127.0.0.1'

type EngineSettings = (baseUrl: string) => Record<string, string>

export type TestPlatform = PlatformOn<ServedEngine>

/** A platform with an engine of this kind. */
export type PlatformOn<E extends ServedEngine> = Awaited<ReturnType<typeof startPlatformOn<E>>>

/** Starts the developer API on a free port, with a new engine, chain and database. `givenHasura` replaces port and engine. */
export function startTestPlatform(
  environment: Record<string, string> = {},
  engineSettings: EngineSettings = () => ({}),
) {
  return startPlatformOn(serveEngineHere, environment, engineSettings)
}

type StartEngine<E> = (url: string, environment: Record<string, string>) => Promise<E>

/**
 * Starts a platform with an engine of this kind, such as an engine process that the test may kill.
 */
export async function startPlatformOn<E extends ServedEngine>(
  startEngine: StartEngine<E>,
  environment: Record<string, string> = {},
  engineSettings: EngineSettings = () => ({}),
) {
  const [db, { addresses, ...anvil }] = await Promise.all([database('platform'), startChain()])
  const configuredHasura = givenHasura()
  const port = configuredHasura ? configuredHasura.hook.port : await freePort()
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
  const documentedAnswers = new Set<string>()
  const host = configuredHasura?.hook.host ?? LOOPBACK
  const instance = await startInstance({ env, host, port, now, documentedAnswers })
  // A test may replace an engine or a chain that it has stopped.
  const parts = { engine, anvil }
  return Object.assign(parts, {
    baseUrl,
    db,
    groups: addresses.groups,
    env,
    clock,
    /** The documented responses that the platform has sent. */
    documentedAnswers,
    post: (path: string, body: unknown, headers?: Record<string, string>) =>
      post(`${baseUrl}${path}`, body, headers),
    ...rowsIn(db),
    /** Starts another instance, by default with the same engine. */
    anotherInstance: async (changes: Record<string, string> = {}) => {
      const address = { host: LOOPBACK, port: await freePort() }
      return startInstance({ ...address, env: { ...env, ...changes }, now, documentedAnswers })
    },
    /** Fails if a response of the first instance differed from `/openapi.json`. `stop` checks this too. */
    expectDocumented: () => instance.expectDocumented(),
    async stop() {
      await instance.stop()
      await parts.engine.stop()
      await parts.anvil.stop()
      await db.drop()
    },
  })
}

/**
 * Serves `hasura/` on a new engine, or on the Hasura of `npm run test:hasura`. That Hasura gets only WEBHOOKS_URL and
 * INTERNAL_AUTHORIZATION, as parts of its metadata. It was started with the other settings that the tests need.
 */
async function servePlatform<E extends ServedEngine>(
  startEngine: StartEngine<E>,
  db: Database,
  settings: Record<string, string>,
): Promise<E | RunningEngine> {
  const configuredHasura = givenHasura()
  if (!configuredHasura) return startEngine(db.as('hasura'), settings)
  return serveFolderOnGiven(configuredHasura, {
    databaseUrl: db.as('hasura'),
    webhooksUrl: settings.WEBHOOKS_URL === NOWHERE ? NOWHERE : configuredHasura.hook.origin,
    internalAuthorization: settings.INTERNAL_AUTHORIZATION ?? '',
  })
}

export type Reply = { status: number; headers: Headers; body: unknown }

/** Sends JSON, or a string or bytes unchanged. */
export async function post(
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const isRaw = typeof body === 'string' || body instanceof Uint8Array
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: isRaw ? body : JSON.stringify(body),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text && JSON.parse(text) }
}
