import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { freePort } from '../../../local/process/free-port.ts'
import {
  type RunningEngine,
  startEngine,
} from '../../../packages/engine/test/support/start-engine.ts'
import { COOKIE_KEY, ISSUER } from '../oidc/start-sign-in.ts'
import { START_CACHE } from '../start-cache.ts'
import { engineEnvironment, webhooksEnvironment } from '../webhooks/platform-environment.ts'

/** The addresses that stay the same when a version replaces another. */
export type Addresses = { baseUrl: string; signInUrl: string }

type Version = {
  /** The folder with the version's services and `hasura/`. */
  folder: string
  addresses: Addresses
  rpcUrl: string
  /** The addresses of the database for Hasura and for the sign-in server. */
  hasuraUrl: string
  signInUrl: string
}

export type RunningVersion = Awaited<ReturnType<typeof runVersion>>

export async function chooseAddresses(): Promise<Addresses> {
  const [webhooks, oidc] = [await freePort(), await freePort()]
  return { baseUrl: `http://127.0.0.1:${webhooks}`, signInUrl: `http://127.0.0.1:${oidc}` }
}

/**
 * Runs a version: its developer API and sign-in server in processes, and its migrations and metadata in this version's
 * engine, which replaces Hasura.
 */
export async function runVersion({ folder, addresses, rpcUrl, hasuraUrl, signInUrl }: Version) {
  const engine = await startMigratedEngine(folder, hasuraUrl, addresses.baseUrl)
  const env = {
    ...(await webhooksEnvironment(engine.url, rpcUrl)),
    BASE_URL: addresses.baseUrl,
    AUTH_URL: ISSUER,
    COOKIE_KEYS: `${COOKIE_KEY},${COOKIE_KEY}`,
    DATABASE_URL: signInUrl,
    LOG_LEVEL: 'error',
  }
  const webhooks = await startService(folder, 'webhooks', addresses.baseUrl, env)
  const oidc = await startService(folder, 'oidc', addresses.signInUrl, env)
  return {
    engine,
    async stop() {
      await Promise.all([webhooks.stop(), oidc.stop()])
      await engine.stop()
    },
  }
}

/** Starts an engine that applies the migrations and metadata of a version. */
export function startMigratedEngine(
  folder: string,
  hasuraUrl: string,
  baseUrl: string,
): Promise<RunningEngine> {
  return startEngine(hasuraUrl, {
    ...engineEnvironment(baseUrl),
    HASURA_GRAPHQL_METADATA_DIR: join(folder, 'hasura/metadata'),
    HASURA_GRAPHQL_MIGRATIONS_DIR: join(folder, 'hasura/migrations'),
    WEBHOOKS_URL: baseUrl,
  })
}

/** Starts a service of a version in a process, and waits until it answers. */
async function startService(
  folder: string,
  name: 'webhooks' | 'oidc',
  url: string,
  env: Record<string, string>,
) {
  const prefix = name.toUpperCase()
  const child = spawn(process.execPath, [...START_CACHE, `${name}/server.ts`], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      ...env,
      [`${prefix}_HOST`]: '127.0.0.1',
      [`${prefix}_PORT`]: new URL(url).port,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output: string[] = []
  child.stdout.on('data', (chunk) => output.push(String(chunk)))
  child.stderr.on('data', (chunk) => output.push(String(chunk)))
  await waitUntilReady(child, url, output)
  return {
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill()
      await ended
    },
  }
}

async function waitUntilReady(child: ChildProcess, url: string, output: readonly string[]) {
  const deadline = Date.now() + 60_000
  while (Date.now() < deadline && child.exitCode === null) {
    const response = await fetch(`${url}/readyz`).catch(() => null)
    if (response?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  child.kill('SIGKILL')
  throw new Error(`${url} is not ready: ${output.join('')}`)
}
