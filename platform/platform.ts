import { join } from 'node:path'
import { startAnvil } from '../chain/anvil.ts'
import { deploy } from '../chain/deploy.ts'
import { publishRoot } from '../chain/publish-root.ts'
import { developmentKey } from '../simulator/development-key/development-key.ts'
import type { Facts } from './facts.ts'
import { check } from './first-data/check.ts'
import { makeFirstKey } from './first-data/make-first-key.ts'
import { REAL_PROOF, REAL_PROOF_V1 } from './first-data/real-proof.ts'
import { refreshPrices } from './first-data/refresh-prices.ts'
import { seed } from './first-data/seed.ts'
import { startDeveloperApi } from './parts/developer-api.ts'
import { requireFreePorts } from './parts/free-ports.ts'
import { startMailCatcher } from './parts/mail-catcher.ts'
import { startPart } from './parts/part.ts'
import { paymentEnvironment } from './parts/payment-environment.ts'
import { startPostgres } from './parts/postgres.ts'
import { startPriceProvider } from './parts/price-provider.ts'
import {
  signInAddresses,
  startDemo,
  startSignInServer,
  startSimulator,
} from './parts/sign-in-server.ts'
import { step } from './progress.ts'
import { readSecrets } from './secrets.ts'
import type { Settings } from './settings.ts'

export type Platform = { facts: Facts; stop(): Promise<void> }

type Stoppable = { stop(): Promise<void> }

/**
 * Starts the parts, each after those that it needs, and verifies a real proof to show that they work
 * together.
 *
 * @param onEnd called when a part ends by itself
 * @param signal once it is aborted, no further part is started
 * @throws Error with a sentence for the person at the terminal, or the signal's reason; by then every
 *   part that was started has ended
 */
export async function startPlatform(
  settings: Settings,
  onEnd: (error: Error) => void,
  signal?: AbortSignal,
): Promise<Platform> {
  const started: Stoppable[] = []
  const stop = async () => {
    for (const part of started.splice(0).reverse()) await part.stop()
  }
  const start = async <Part extends Stoppable>(name: string, begin: () => Promise<Part>) => {
    signal?.throwIfAborted()
    const part = await step(name, begin)
    started.push(part)
    return part
  }
  try {
    return { facts: await startParts(settings, { start, onEnd }), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

type Starting = {
  start<Part extends Stoppable>(name: string, begin: () => Promise<Part>): Promise<Part>
  onEnd: (error: Error) => void
}

async function startParts(settings: Settings, starting: Starting): Promise<Facts> {
  // PostgreSQL and the chain check their own ports, after they have ended what a killed start left there.
  const { ENGINE_PORT, POSTGRES_PORT: _, CHAIN_PORT: __, ...ports } = settings.ports
  const secrets = readSecrets(join(settings.folder, 'secrets.json'))
  const { WEBHOOKS_PORT } = ports
  await requireFreePorts(settings.hasura ? ports : { ...ports, ENGINE_PORT })
  const databaseUrl = await startDatabase(settings, secrets.postgresPassword, starting)
  const { rpcUrl, contracts } = await startChain(settings, starting)
  const mail = await starting.start('Mail catcher', () => startMailCatcher(settings.ports))
  const { url: priceProviderUrl } = await starting.start('Price provider', () =>
    startPriceProvider(ports.PRICE_PROVIDER_PORT),
  )
  const key = await step('Development key', () => developmentKey())
  const baseUrl = `http://localhost:${WEBHOOKS_PORT}`
  const hasura = await startEngine(settings, { ...starting, databaseUrl, baseUrl, ...secrets })
  const keys = await step('Demo data', () => seed({ hasura, secrets }))
  const { verificationKeyFile } = key
  const { onEnd } = starting
  const common = { settings, secrets, hasura, rpcUrl, verificationKeyFile, onEnd }
  const payments = paymentEnvironment({ rpcUrl, contracts, priceProviderUrl })
  await starting.start('Developer API', () =>
    startDeveloperApi({ ...common, baseUrl, smtpUrl: mail.smtpUrl, payments }),
  )
  const signIn = { ...common, databaseUrl }
  await starting.start('Simulator', () => startSimulator(signIn))
  await starting.start('Sign-in server', () => startSignInServer(signIn))
  await starting.start('Demo website', () => startDemo(signIn))
  await step('Signing key', () => makeFirstKey({ baseUrl, ...secrets }))
  await step('Prices', () => refreshPrices({ baseUrl, ...secrets }))
  await step('A real proof, verified', () => check({ baseUrl, hasura }))
  return {
    baseUrl,
    hasura,
    ...signInAddresses(settings.ports),
    rpcUrl,
    tokens: contracts.tokens,
    mailUrl: mail.pageUrl,
    databaseUrl,
    apiKey: keys.demo,
    otherApiKey: keys.other,
  }
}

async function startDatabase(settings: Settings, password: string, { start, onEnd }: Starting) {
  if (settings.databaseUrl) return settings.databaseUrl
  const folder = join(settings.folder, 'postgres')
  const port = settings.ports.POSTGRES_PORT
  return (await start('PostgreSQL', () => startPostgres({ folder, port, password, onEnd }))).url
}

async function startChain(settings: Settings, { start, onEnd }: Starting) {
  const port = settings.ports.CHAIN_PORT
  const stateFile = join(settings.folder, 'chain.json')
  const { rpcUrl } = await start('Local chain', () => startAnvil({ port, stateFile, onEnd }))
  const contracts = await step('Contracts', async () => {
    const deployed = await deploy(rpcUrl)
    await publishRealRoots(rpcUrl)
    return deployed
  })
  return { rpcUrl, contracts }
}

/** At each start, so that the roots of the real proofs never grow too old. */
async function publishRealRoots(rpcUrl: string): Promise<void> {
  const production = BigInt(REAL_PROOF.body.merkle_root)
  const staging = BigInt(REAL_PROOF_V1.merkle_root)
  await publishRoot({ rpcUrl, group: 'production', root: production })
  await publishRoot({ rpcUrl, group: 'staging', root: staging })
}

type EngineStart = Starting & {
  databaseUrl: string
  baseUrl: string
  adminSecret: string
  internalSecret: string
}

async function startEngine(settings: Settings, options: EngineStart): Promise<Facts['hasura']> {
  if (settings.hasura) return settings.hasura
  const { start, onEnd, databaseUrl, baseUrl, adminSecret, internalSecret } = options
  const endpoint = `http://localhost:${settings.ports.ENGINE_PORT}`
  await start('GraphQL engine', () =>
    startPart({
      name: 'The GraphQL engine',
      entry: 'engine/server.ts',
      env: {
        HASURA_GRAPHQL_SERVER_HOST: '127.0.0.1',
        HASURA_GRAPHQL_SERVER_PORT: String(settings.ports.ENGINE_PORT),
        HASURA_GRAPHQL_DATABASE_URL: databaseUrl,
        HASURA_GRAPHQL_METADATA_DIR: 'hasura/metadata',
        HASURA_GRAPHQL_MIGRATIONS_DIR: 'hasura/migrations',
        HASURA_GRAPHQL_ADMIN_SECRET: adminSecret,
        HASURA_GRAPHQL_ENABLE_CONSOLE: 'true',
        WEBHOOKS_URL: baseUrl,
        INTERNAL_AUTHORIZATION: `Bearer ${internalSecret}`,
        HASURA_GRAPHQL_AUTH_HOOK: `${baseUrl}/hasura/auth`,
        HASURA_GRAPHQL_AUTH_HOOK_MODE: 'POST',
        HASURA_GRAPHQL_PRESERVE_401_ERRORS: 'true',
        HASURA_GRAPHQL_STRINGIFY_NUMERIC_TYPES: 'true',
      },
      logFile: join(settings.folder, 'logs', 'engine.log'),
      healthUrl: `${endpoint}/healthz?strict=true`,
      onEnd,
    }),
  )
  return { endpoint, adminSecret }
}
