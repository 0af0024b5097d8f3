import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { requireValue } from '../../lib/runtime/require-value.ts'
import { startAnvil } from '../../local/chain/anvil.ts'
import { startPostgres } from '../../local/postgres/embedded-postgres.ts'
import {
  developmentKey,
  developmentKey4,
} from '../../local/simulator/development-key/development-key.ts'
import { ensurePortal } from '../../portal/build/ensure-portal.ts'
import { dataPaths, takeDataFolder } from './data-folder.ts'
import type { Facts } from './facts.ts'
import { createFirstKey } from './first-data/create-first-key.ts'
import { DEMO } from './first-data/demo-data.ts'
import { deployContracts } from './first-data/deploy-contracts.ts'
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
import { findConsole, requireCallsFromHasura, requireHasura } from './parts/outside-hasura.ts'
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

/** The folder for files that all data folders share. */
const CACHE = fileURLToPath(new URL('../../.cache/', import.meta.url))

export type Platform = { facts: Facts; stop(): Promise<void> }

export type PlatformSettings = Settings & {
  fresh?: boolean
  /** A database that already has the roles. */
  database?: DatabaseUrls | undefined
}

type RunOptions = {
  /** Called when a part ends unexpectedly and is not restarted. */
  onEnd: (error: Error) => void
  /** After an abort, no further step starts, and the current step has five seconds to end. */
  signal?: AbortSignal
  /** Runs each step, for example to print it. */
  step?: typeof showStep
  /**
   * Gets messages about the parts while they run. Only with `report`, a part that ends unexpectedly is restarted, up to eight
   * times in a row.
   */
  report?: ((line: string) => void) | undefined
}

/**
 * Starts the parts in the order of their dependencies, and verifies a real proof to test that they work together.
 *
 * @param settings.fresh true to start with an empty data folder
 * @throws Error with a message for the terminal, or the signal's reason. All parts have ended before, except a part that hangs
 *   while it starts: this part ends once it has started, or with this process
 */
export async function startParts(
  { fresh = false, ...settings }: PlatformSettings,
  { onEnd, signal, step: show = (_name, work) => work(), report }: RunOptions,
): Promise<Platform> {
  const data = await takeDataFolder(settings, fresh)
  const runningParts: Stoppable[] = [data]
  let hasPart = false
  let isStopped = false
  const stop = async () => {
    isStopped = true
    for (const part of runningParts.splice(0).reverse()) await part.stop()
  }
  const step: typeof show = async (name, work) => {
    signal?.throwIfAborted()
    return show(name, work)
  }
  const start: StartTools['start'] = async (name, startPart) => {
    const part = await step(name, () =>
      report ? keepRunning(startPart, { name, report, onGiveUp: onEnd }) : startPart(onEnd),
    )
    hasPart = true
    // The start was aborted while this part started.
    if (isStopped) await part.stop()
    else runningParts.push(part)
    return part
  }
  try {
    // A child process builds the portal while the first parts start. The step that awaits the portal reports its errors.
    const building = new AbortController()
    runningParts.push({ stop: async () => building.abort() })
    const portal = ensurePortal(CACHE, building.signal)
    portal.catch(() => {})
    const facts = startInOrder(settings, { start, step, portal, report })
    return { facts: await untilAborted(facts, signal), stop }
  } catch (error) {
    if (!hasPart) data.removeNewFiles()
    await stop()
    throw error
  }
}

/** How long the current step may take after an abort. */
const STEP_GRACE_MS = 5_000

/** Waits for some work; after an abort, at most STEP_GRACE_MS. @throws the signal's reason */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work
  const { promise: grace, resolve } = Promise.withResolvers<void>()
  let timer: NodeJS.Timeout | undefined
  const startGrace = () => {
    timer = setTimeout(resolve, STEP_GRACE_MS)
  }
  if (signal.aborted) startGrace()
  else signal.addEventListener('abort', startGrace, { once: true })
  try {
    await Promise.race([work, grace])
    signal.throwIfAborted()
    return await work
  } finally {
    signal.removeEventListener('abort', startGrace)
    clearTimeout(timer)
  }
}

type Stoppable = { stop(): Promise<void> }

type StartTools = {
  /** Starts a part as a step, and records the part so that `stop` ends it. */
  start<Part extends Stoppable>(name: string, startPart: StartPart<Part>): Promise<Part>
  step: typeof showStep
  report: RunOptions['report']
  /** Resolves to the folder of the portal's files when they are built. */
  portal: Promise<string>
}

async function startInOrder(settings: PlatformSettings, tools: StartTools): Promise<Facts> {
  const { start, step, portal } = tools
  const { ports, hasura: outsideHasura } = settings
  const secrets = {
    ...readSecrets(join(settings.folder, SECRETS_FILE)),
    ...sharedSecrets(outsideHasura),
  }
  const baseUrl = `http://localhost:${ports.WEBHOOKS_PORT}`

  if (outsideHasura) await step('Hasura', () => requireHasura(outsideHasura))
  // The dependencies of the services: database, chain, mail, prices, and the keys for simulated proofs.
  const database = await startDatabase(settings, secrets, tools)
  const proofKeys = await step('Development keys', makeProofKeys)
  const { rpcUrl, contracts } = await start('Local chain', (onEnd) => startChain(settings, onEnd))
  const { smtpUrl, pageUrl: mailUrl } = await start('Mail catcher', () => startMailCatcher(ports))
  const prices = await start('Price provider', () => startPriceProvider(ports.PRICE_PROVIDER_PORT))
  const portalFolder = await step('Portal', () => portal)

  // GraphQL on the database, and the demo team's rows.
  const hasura = await startHasura({ settings, secrets, ...database, baseUrl, ...tools })
  const keys = await step('Demo data', () => seedDemoData({ hasura, secrets }))

  // The services, and two clients: the wallet of simulated people, and a website.
  const chain = { rpcUrl, verifiers: contracts.verifiers }
  const options = { settings, secrets, hasura, ...chain, ...proofKeys }
  const payments = paymentEnvironment({ rpcUrl, contracts, priceProviderUrl: prices.url })
  const addresses = { ...signInAddresses(ports), baseUrl, mailUrl }
  await start('Developer API', (onEnd) =>
    startDeveloperApi({ ...options, ...addresses, smtpUrl, portalFolder, payments, onEnd }),
  )
  if (outsideHasura)
    await step('Calls from Hasura', () => requireCallsFromHasura(outsideHasura, baseUrl, keys.demo))
  await start('Simulator', (onEnd) => startSimulator({ ...options, onEnd }))
  await start('Sign-in server', (onEnd) => startSignInServer({ ...options, ...database, onEnd }))
  await start('Demo website', () => startDemoWebsite(options))

  // The tasks of an operator and of the schedule, and a proof to test all parts together.
  await step('Signing key', () => createFirstKey({ baseUrl, ...secrets }))
  await step('Prices', () => refreshPrices({ baseUrl, ...secrets }))
  await step('Verification of a real proof', () => verifyRealProof({ baseUrl, hasura }))
  return {
    ...addresses,
    hasura: { ...hasura, consoleUrl: await findConsole(hasura) },
    ...{ ...chain, tokens: contracts.tokens },
    databaseUrl: database.databaseUrl,
    databaseFolder: database.folder,
    ...teamFacts(keys, secrets),
  }
}

/** Makes the keys for simulated proofs of both protocols, at the same time. */
async function makeProofKeys() {
  const [key3, key4] = await Promise.all([developmentKey(), developmentKey4()])
  return {
    verificationKeyFile: key3.verificationKeyFile,
    verificationKey4File: key4.verificationKeyFile,
  }
}

function teamFacts(keys: { demo: string; other: string }, { demoClientSecret }: Secrets) {
  const appId = requireValue(DEMO[0], 'the staging app of the demo data').id
  return { appId, apiKey: keys.demo, otherApiKey: keys.other, clientSecret: demoClientSecret }
}

/**
 * Returns the database of the settings unchanged, or starts an embedded PostgreSQL with a role for Hasura and a role for the
 * sign-in server.
 */
async function startDatabase(
  { database, databaseUrl, folder, ports }: PlatformSettings,
  secrets: Secrets,
  { start, report }: StartTools,
): Promise<DatabaseUrls & { folder: string | null }> {
  if (database) return { ...database, folder: null }
  if (databaseUrl)
    return { databaseUrl, hasuraUrl: databaseUrl, signInUrl: databaseUrl, folder: null }
  return start('PostgreSQL', async (onEnd) => {
    const { url, stop, ...postgres } = await startPostgres({
      folder: dataPaths(folder).postgres,
      port: ports.POSTGRES_PORT,
      password: secrets.postgresPassword,
      remedy: DATABASE_REMEDY,
      onEnd,
      onFullDisk: () => report?.('PostgreSQL has no disk space left.'),
    })
    try {
      return { ...(await createRoles(url, databasePasswords(secrets))), ...postgres, stop }
    } catch (error) {
      await stop()
      throw error
    }
  })
}

/** Starts the chain and deploys missing contracts. A killed chain may have lost its last second or all its data. */
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

/** The remedy in the error of an embedded PostgreSQL that cannot start. */
const DATABASE_REMEDY =
  'Choose another folder, such as --data /var/tmp/personhood-platform, or set DATABASE_URL to your own PostgreSQL.'

/** An outside Hasura has its own secret for calls to the developer API. */
function sharedSecrets(hasura: Settings['hasura']): Partial<Secrets> {
  return hasura ? { internalSecret: hasura.internalSecret } : {}
}

function databasePasswords(secrets: Secrets) {
  return { hasura: secrets.hasuraDatabasePassword, signIn: secrets.signInDatabasePassword }
}

type HasuraStart = Omit<Parameters<typeof startGraphqlEngine>[0], 'onEnd'> & StartTools

/** Returns the Hasura of the settings, or starts the embedded engine. */
async function startHasura({ start, ...options }: HasuraStart): Promise<ServiceOptions['hasura']> {
  const { settings, secrets, deliveryUrl } = options
  if (settings.hasura) {
    const { endpoint, adminSecret } = settings.hasura
    return { endpoint, adminSecret }
  }
  await start('GraphQL engine', (onEnd) => startGraphqlEngine({ ...options, onEnd }))
  if (deliveryUrl !== undefined)
    await start('Delivering engine', (onEnd) =>
      startDeliveringEngine({ ...options, onEnd }, deliveryUrl),
    )
  return { endpoint: engineEndpoint(settings), adminSecret: secrets.adminSecret }
}
