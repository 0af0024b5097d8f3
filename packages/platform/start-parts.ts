import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { present } from '../../lib/runtime/present.ts'
import { startAnvil } from '../../local/chain/anvil.ts'
import { startPostgres } from '../../local/postgres/embedded-postgres.ts'
import { developmentKey } from '../../local/simulator/development-key/development-key.ts'
import { builtPortal } from '../../portal/build/built-portal.ts'
import { dataPaths, takeDataFolder } from './data-folder.ts'
import type { Facts } from './facts.ts'
import { DEMO } from './first-data/demo-data.ts'
import { deployContracts } from './first-data/deploy-contracts.ts'
import { makeFirstKey } from './first-data/make-first-key.ts'
import { refreshPrices } from './first-data/refresh-prices.ts'
import { seedDemoData } from './first-data/seed-demo-data.ts'
import { verifyRealProof } from './first-data/verify-real-proof.ts'
import { createRoles, type DatabaseUrls } from './parts/database-roles.ts'
import { startDeveloperApi } from './parts/developer-api.ts'
import {
  engineEndpoint,
  startDeliveringEngine,
  startGraphqlEngine,
} from './parts/graphql-engine.ts'
import { startMailCatcher } from './parts/mail-catcher.ts'
import { findConsole, requireHasura, requireWayBack } from './parts/outside-hasura.ts'
import { paymentEnvironment } from './parts/payment-environment.ts'
import { startPriceProvider } from './parts/price-provider.ts'
import type { ServiceOptions } from './parts/service-options.ts'
import {
  signInAddresses,
  startDemoWebsite,
  startSignInServer,
  startSimulator,
} from './parts/sign-in-server.ts'
import { keepRunning, type StartPart } from './processes/keep-running.ts'
import type { showStep } from './progress.ts'
import { readSecrets, SECRETS_FILE, type Secrets } from './settings/secrets.ts'
import type { Settings } from './settings/settings.ts'

/** What is made once for all data folders. */
const CACHE = fileURLToPath(new URL('../../.cache/', import.meta.url))

export type Platform = { facts: Facts; stop(): Promise<void> }

export type PlatformSettings = Settings & {
  fresh?: boolean
  /** A database whose roles exist already; it is used as it is. */
  database?: DatabaseUrls | undefined
}

type Run = {
  /** Called when a part ends by itself. */
  onEnd: (error: Error) => void
  /** Once it is aborted, no further step is begun, and the one under way has some seconds to end. */
  signal?: AbortSignal
  /** Does each step, so that somebody may be told of it. */
  step?: typeof showStep
  /**
   * Gets sentences about the parts while they run. With it, a part that ends by itself is started again; without it, the
   * first end is that of the platform.
   */
  tell?: ((line: string) => void) | undefined
}

/**
 * Starts the parts, each after those that it needs, and verifies a real proof to show that they work together.
 *
 * @param settings.fresh whether to begin with an empty data folder
 * @throws Error with a sentence for the person at the terminal, or the signal's reason; by then every
 *   part that was started has ended. A part whose step hangs is ended once that is done, or with this process
 */
export async function startParts(
  { fresh = false, ...settings }: PlatformSettings,
  { onEnd, signal, step: show = (_name, work) => work(), tell }: Run,
): Promise<Platform> {
  const data = await takeDataFolder(settings, fresh)
  const started: Stoppable[] = [data]
  let hasStarted = false
  let isStopped = false
  const stop = async () => {
    isStopped = true
    for (const part of started.splice(0).reverse()) await part.stop()
  }
  const step: typeof show = async (name, work) => {
    signal?.throwIfAborted()
    return show(name, work)
  }
  const start: Starting['start'] = async (name, startPart) => {
    const part = await step(name, () =>
      tell ? keepRunning(startPart, { name, tell, onGivenUp: onEnd }) : startPart(onEnd),
    )
    hasStarted = true
    // It took too long, and nobody waits for it any more.
    if (isStopped) await part.stop()
    else started.push(part)
    return part
  }
  try {
    // Built by a process of its own, while the first parts start; the step that needs it tells what went wrong.
    const building = new AbortController()
    started.push({ stop: async () => building.abort() })
    const portal = builtPortal(CACHE, building.signal)
    portal.catch(() => {})
    const starting = startInOrder(settings, { start, step, portal, tell })
    return { facts: await untilAborted(starting, signal), stop }
  } catch (error) {
    if (!hasStarted) data.undo()
    await stop()
    throw error
  }
}

/** How long a step that is under way may still take once nobody wants the platform any more. */
const STEP_ENDS_MS = 5_000

/** Waits for some work, and after an abort only for so long that its step may end well. @throws the signal's reason */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work
  const { promise: hanging, resolve } = Promise.withResolvers<void>()
  let timer: NodeJS.Timeout | undefined
  const giveTime = () => {
    timer = setTimeout(resolve, STEP_ENDS_MS)
  }
  if (signal.aborted) giveTime()
  else signal.addEventListener('abort', giveTime, { once: true })
  try {
    await Promise.race([work, hanging])
    signal.throwIfAborted()
    return await work
  } finally {
    signal.removeEventListener('abort', giveTime)
    clearTimeout(timer)
  }
}

type Stoppable = { stop(): Promise<void> }

type Starting = {
  /** Starts a part, shows that on the terminal, and remembers the part, so that it is stopped at the end. */
  start<Part extends Stoppable>(name: string, startPart: StartPart<Part>): Promise<Part>
  step: typeof showStep
  tell: Run['tell']
  /** The folder of the portal's files, once they are built. */
  portal: Promise<string>
}

async function startInOrder(settings: PlatformSettings, starting: Starting): Promise<Facts> {
  const { start, step, portal } = starting
  const { ports, hasura: given } = settings
  const secrets = { ...readSecrets(join(settings.folder, SECRETS_FILE)), ...sharedSecrets(given) }
  const baseUrl = `http://localhost:${ports.WEBHOOKS_PORT}`

  if (given) await step('Hasura', () => requireHasura(given))
  // First what the services stand on: the database, the chain, mail, prices, and the key of simulated proofs.
  const database = await startDatabase(settings, secrets, starting)
  const { rpcUrl, contracts } = await start('Local chain', (onEnd) => startChain(settings, onEnd))
  const { smtpUrl, pageUrl: mailUrl } = await start('Mail catcher', () => startMailCatcher(ports))
  const prices = await start('Price provider', () => startPriceProvider(ports.PRICE_PROVIDER_PORT))
  const { verificationKeyFile } = await step('Development key', () => developmentKey())
  const portalFolder = await step('Portal', () => portal)

  // Then GraphQL over the database, and the demo team's rows in it.
  const hasura = await startHasura({ settings, secrets, ...database, baseUrl, ...starting })
  const keys = await step('Demo data', () => seedDemoData({ hasura, secrets }))

  // Then the services, and who uses them: the wallet of simulated people, and a website.
  const options = { settings, secrets, hasura, rpcUrl, verificationKeyFile }
  const payments = paymentEnvironment({ rpcUrl, contracts, priceProviderUrl: prices.url })
  const addresses = { ...signInAddresses(ports), baseUrl }
  await start('Developer API', (onEnd) =>
    startDeveloperApi({ ...options, ...addresses, smtpUrl, portalFolder, payments, onEnd }),
  )
  if (given) await step('Hasura’s way back', () => requireWayBack(given, baseUrl, keys.demo))
  await start('Simulator', (onEnd) => startSimulator({ ...options, onEnd }))
  await start('Sign-in server', (onEnd) => startSignInServer({ ...options, ...database, onEnd }))
  await start('Demo website', () => startDemoWebsite(options))

  // At last what an operator or a schedule does, and a proof that all of it works together.
  await step('Signing key', () => makeFirstKey({ baseUrl, ...secrets }))
  await step('Prices', () => refreshPrices({ baseUrl, ...secrets }))
  await step('A real proof, verified', () => verifyRealProof({ baseUrl, hasura }))
  return {
    ...addresses,
    hasura: { ...hasura, consoleUrl: await findConsole(hasura) },
    rpcUrl,
    tokens: contracts.tokens,
    mailUrl,
    databaseUrl: database.databaseUrl,
    databaseFolder: database.folder,
    ...teamFacts(keys, secrets),
  }
}

function teamFacts(keys: { demo: string; other: string }, { demoClientSecret }: Secrets) {
  const appId = present(DEMO[0], 'the staging app of the demo data').id
  return { appId, apiKey: keys.demo, otherApiKey: keys.other, clientSecret: demoClientSecret }
}

/**
 * The database of the settings, which is used as it is, or else an embedded PostgreSQL, in which each service has a role of
 * its own.
 */
async function startDatabase(
  { database, databaseUrl, folder, ports }: PlatformSettings,
  secrets: Secrets,
  { start, tell }: Starting,
): Promise<DatabaseUrls & { folder: string | null }> {
  if (database) return { ...database, folder: null }
  if (databaseUrl)
    return { databaseUrl, hasuraUrl: databaseUrl, signInUrl: databaseUrl, folder: null }
  return start('PostgreSQL', async (onEnd) => {
    const { url, stop, ...postgres } = await startPostgres({
      folder: dataPaths(folder).postgres,
      port: ports.POSTGRES_PORT,
      password: secrets.postgresPassword,
      remedy: OTHER_DATABASE,
      onEnd,
      onFullDisk: () => tell?.('PostgreSQL has no space left to write in.'),
    })
    try {
      return { ...(await createRoles(url, databasePasswords(secrets))), ...postgres, stop }
    } catch (error) {
      await stop()
      throw error
    }
  })
}

/** A chain that was killed may have lost its last second, or all of it, so each start puts what is missing on the chain. */
async function startChain({ folder, ports }: PlatformSettings, onEnd: (error: Error) => void) {
  const stateFile = dataPaths(folder).chain
  const anvil = await startAnvil({ port: ports.CHAIN_PORT, stateFile, onEnd })
  try {
    return { ...anvil, contracts: await deployContracts(anvil.rpcUrl) }
  } catch (error) {
    await anvil.stop()
    throw error
  }
}

/** What helps where the embedded PostgreSQL cannot run. */
const OTHER_DATABASE =
  'Another folder is chosen by --data, such as --data /var/tmp/personhood-platform; a PostgreSQL of yours by DATABASE_URL.'

/** What a given Hasura sends to the developer API is not ours to choose. */
function sharedSecrets(given: Settings['hasura']): Partial<Secrets> {
  return given ? { internalSecret: given.internalSecret } : {}
}

function databasePasswords(secrets: Secrets) {
  return { hasura: secrets.hasuraDatabasePassword, signIn: secrets.signInDatabasePassword }
}

type HasuraStart = Omit<Parameters<typeof startGraphqlEngine>[0], 'onEnd'> & Starting

/** The Hasura of the settings, or else the embedded engine. */
async function startHasura({ start, ...options }: HasuraStart): Promise<ServiceOptions['hasura']> {
  const { settings, secrets, deliveryUrl } = options
  if (settings.hasura) {
    const { endpoint, adminSecret } = settings.hasura
    return { endpoint, adminSecret }
  }
  await start('GraphQL engine', (onEnd) => startGraphqlEngine({ ...options, onEnd }))
  if (deliveryUrl !== undefined)
    await start('Engine that delivers', (onEnd) =>
      startDeliveringEngine({ ...options, onEnd }, deliveryUrl),
    )
  return { endpoint: engineEndpoint(settings), adminSecret: secrets.adminSecret }
}
