import type { Server } from 'node:http'
import { readSignInConfig } from '../../../lib/runtime/config.ts'
import { createLogger } from '../../../lib/runtime/log/log.ts'
import { CHAIN_ID } from '../../../local/chain/local-chain.ts'
import { publishRoot } from '../../../local/chain/publish-root.ts'
import { freePort } from '../../../local/process/free-port.ts'
import { developmentKey } from '../../../local/simulator/development-key/development-key.ts'
import { startServices } from '../../../oidc/services.ts'
import { serveEngineHere } from '../../../packages/engine/test/support/serve-here.ts'
import type { ServedEngine } from '../../../packages/engine/test/support/start-engine.ts'
import { startChain } from '../chain.ts'
import { database } from '../database.ts'
import { ADMIN_SECRET, engineEnvironment, PATIENCE } from '../webhooks/platform-environment.ts'
import { createWatchedServer } from './contract.ts'

export const ISSUER = 'https://id.example.test'
export const PEPPER = 'pepper-of-client-secrets-in-tests'
export const SIGNING_KEY_SECRET = 'secret-that-seals-the-keys-of-tests'
export const COOKIE_KEY = 'the-cookie-key-of-these-tests-only'

/** The latest root of the staging group. */
export const ROOT = 4711n

export type TestSignIn = Awaited<ReturnType<typeof startTestSignIn>>

/** Starts the sign-in server with a new engine, chain and database. Listens on a free port, or on that of a local AUTH_URL. */
export function startTestSignIn(environment: Record<string, string> = {}) {
  return startSignInOn(serveEngineHere, environment)
}

/** Starts the sign-in server with an engine from `startEngine`, for example an engine in another process. */
export async function startSignInOn(
  startEngine: (url: string, environment: Record<string, string>) => Promise<ServedEngine>,
  environment: Record<string, string> = {},
) {
  const [db, anvil] = await Promise.all([database('platform'), startChain()])
  await publishRoot({ rpcUrl: anvil.rpcUrl, group: 'staging', root: ROOT })
  const engine = await startEngine(db.as('hasura'), engineEnvironment('http://127.0.0.1:9'))
  const env = {
    ...(await signInEnvironment(engine.url, anvil.rpcUrl)),
    DATABASE_URL: db.as('sign_in'),
    ...environment,
  }
  const instances: Instance[] = []
  const startAnother = async (changes: InstanceChanges = {}) => {
    const instance = await startInstance({ ...env, ...changes.env }, changes)
    instances.push(instance)
    return instance
  }
  // A server with the issuer http://localhost:PORT must listen on that port.
  const { hostname, port } = new URL(env.AUTH_URL)
  const first = await startAnother(hostname === 'localhost' ? { port: Number(port) } : {})
  const parts = { engine, anvil }
  return Object.assign(parts, {
    db,
    env,
    url: first.url,
    first,
    /** Starts another instance of the sign-in server on the same database. */
    startAnother,
    /** Stops all instances but the first. */
    async stopAdditional() {
      for (const instance of instances.splice(1)) await instance.stop()
    },
    async stop() {
      for (const instance of instances) await instance.stop()
      await parts.engine.stop()
      await parts.anvil.stop()
      await db.drop()
    },
  })
}

async function signInEnvironment(engineUrl: string, rpcUrl: string) {
  const key = await developmentKey()
  return {
    NODE_ENV: 'test',
    AUTH_URL: ISSUER,
    HASURA_GRAPHQL_ENDPOINT: engineUrl,
    HASURA_GRAPHQL_ADMIN_SECRET: ADMIN_SECRET,
    COOKIE_KEYS: COOKIE_KEY,
    CLIENT_SECRET_PEPPER: PEPPER,
    SIGNING_KEY_SECRET,
    CHAIN_RPC_URL: rpcUrl,
    CHAIN_ID: String(CHAIN_ID),
    VERIFICATION_KEYS_STAGING: 'development,semaphore-v3-depth-30',
    DEVELOPMENT_KEY_FILE: key.verificationKeyFile,
    VERIFIER_THREADS: '1',
    // Tests send more requests than the limits allow; tests of the limits set their own.
    RATE_LIMIT_REGISTER: '1000000/60',
    RATE_LIMIT_TOKEN: '1000000/60',
    RATE_LIMIT_SIGN_IN: '1000000/60',
    ...PATIENCE,
  }
}

type Instance = Awaited<ReturnType<typeof startInstance>>
type InstanceChanges = { env?: Record<string, string>; port?: number; aheadMs?: number }

async function startInstance(env: Record<string, string>, { port, aheadMs = 0 }: InstanceChanges) {
  const services = await startServices(readSignInConfig(env), {
    log: createLogger('test', 'silent'),
    now: () => Date.now() + aheadMs,
  })
  const { server, expectDocumented } = createWatchedServer(services)
  const listenPort = port ?? (await freePort())
  await new Promise<void>((resolve) => server.listen(listenPort, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${listenPort}`,
    services,
    expectDocumented,
    async stop() {
      await close(server)
      await services.close()
      expectDocumented()
    },
  }
}

async function close(server: Server) {
  const closing = new Promise((resolve) => server.close(resolve))
  server.closeAllConnections()
  await closing
}
