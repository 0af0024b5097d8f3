import { randomUUID } from 'node:crypto'
import { createJsonRpc } from '../lib/chain/json-rpc.ts'
import { type Config, shareOfProcess } from '../lib/runtime/config.ts'
import { createHasuraClient } from '../lib/runtime/hasura/hasura-client.ts'
import { type CredentialGate, createCredentialGate } from '../lib/runtime/limits/credential-gate.ts'
import { createLoopShare } from '../lib/runtime/limits/loop-share.ts'
import type { Log } from '../lib/runtime/log/log.ts'
import { connectHasura, type ServiceContext } from '../lib/runtime/service/connect-hasura.ts'
import { startVerification } from '../lib/verification/verification.ts'
import { createLoginAttempts } from './accounts/login-attempts.ts'
import { createPasswords } from './accounts/passwords.ts'
import type { Services } from './app.ts'
import { explainCredentials, findSession } from './auth-hook/auth-hook.ts'
import { type CallerNames, createCallerNames } from './credentials/caller-names.ts'
import { createLoginTokens, type LoginTokens } from './credentials/login-token.ts'
import { createKeyUseRecorder, type RecordKeyUse } from './credentials/record-key-use.ts'
import { getSdk, type Sdk } from './generated/sdk.ts'
import { createProofCheckCounter } from './hasura-actions/check-proof/check-proof.ts'
import { createMailer } from './mail/mailer.ts'
import { measureBacklog } from './monitoring/backlog.ts'
import { createWebhooksMetrics } from './monitoring/metrics.ts'
import { MAIL_BATCH } from './outbox/deliver-mail.ts'
import { LOCAL_PATH } from './pages/start-page.ts'
import { announceChains } from './payments/announce-chains.ts'
import { type ChainReader, createChainReader } from './payments/chain-reader.ts'
import { readChains } from './payments/chains.ts'
import { createStatusReader } from './payments/status-reader.ts'
import { createPriceBoard } from './prices/price-board.ts'
import { createPriceProviders } from './prices/providers/providers.ts'
import { createGraphqlShare } from './proxy/graphql-share.ts'
import { createPersistedQueries } from './proxy/persisted/persisted-queries.ts'
import { createStandbyReads, type Standby } from './proxy/standby/standby-reads.ts'
import { createLimits } from './route/rate-limits.ts'
import { createVerificationTokens } from './verify/verification-token.ts'

type RunningServices = Services & {
  /** Bounds the work that wrong credentials cause, over HTTP and on WebSockets. */
  gate: CredentialGate
  callers: CallerNames
  /** Ends threads and connections. */
  close(): Promise<void>
}

/** Creates the services of all routes from the configuration. Resolves once they are warmed up. */
export async function startServices(
  config: Config,
  { log, now }: ServiceContext,
): Promise<RunningServices> {
  const metrics = createWebhooksMetrics()
  const hasura = connectHasura(config, { metrics, getSdk, log, now })
  const { client, graphql, counts, requestLog, probe } = hasura
  measureBacklog(metrics, { graphql, now, keySecrets: config.SIGNING_KEY_SECRET })
  const verification = await startVerification(config, { hasura: client, metrics, log, now })
  const mailer = mailerOf(config)
  const passwords = await passwordsOf(config)
  const payments = paymentsOf(config)
  const announcement = await announceChains(readChains(config), {
    graphql,
    instance: randomUUID(),
    log,
  })
  const credentials = credentialsOf(config, { graphql, now, log })
  return {
    ...settingsOf(config),
    ...credentials,
    standby: createStandby(config, { primary: graphql, log }),
    graphql,
    verification,
    now,
    payments,
    readTransactionStatus: createStatusReader({ graphql, payments, now }),
    prices: pricesOf(config, { graphql, now }),
    priceProviders: createPriceProviders(config, now),
    limits: createLimits(config, counts),
    loginAttempts: createLoginAttempts(config, counts),
    countProofCheck: createProofCheckCounter(config, counts),
    ...graphqlSharesOf(config, { graphql, ...credentials }),
    passwords,
    verifyV1: { sunset: config.VERIFY_V1_SUNSET, baseUrl: config.BASE_URL, now },
    mailer,
    probes: { graphql: probe, chain: verification.probeChain },
    metrics,
    requestLog,
    log,
    async close() {
      await announcement.stop()
      await counts.close()
      await requestLog.close()
      await passwords.close()
      mailer.close()
      await verification.close()
    },
  }
}

type CallerServices = { graphql: Sdk; loginTokens: LoginTokens; recordKeyUse: RecordKeyUse }

function graphqlSharesOf(config: Config, callerServices: CallerServices) {
  const gate = createCredentialGate()
  const findCaller = createCallerFinder(config, callerServices)
  const callers = createCallerNames(findCaller)
  const { GRAPHQL_CONCURRENCY: concurrency } = config
  return {
    gate,
    findCaller,
    callers,
    loop: createLoopShare(),
    graphqlShare: createGraphqlShare({ concurrency, gate, callers }),
    explainCredentials: createCredentialExplainer(config, callerServices),
    persistedQueries: createPersistedQueries({
      maxBytes: 32_000_000,
      maxBytesPerCaller: 1_000_000,
      maxQueriesPerCaller: 1_000,
      maxCallers: 2_000,
    }),
  }
}

/** Creates the reader of the standby. It has a separate client, so the metrics of Hasura leave out its calls. */
function createStandby(config: Config, options: { primary: Sdk; log: Log }): Standby | null {
  const { HASURA_GRAPHQL_READ_ENDPOINT: endpoint } = config
  if (!endpoint) return null
  const client = createHasuraClient({
    endpoint,
    adminSecrets: config.HASURA_GRAPHQL_ADMIN_SECRET,
    // This client only reads the standby's position in the write-ahead log, which takes a millisecond.
    timeoutMs: Math.min(config.HASURA_TIMEOUT_MS, 1_000),
  })
  return createStandbyReads({ ...options, endpoint, standby: getSdk(client) })
}

/** Returns the values of the configuration that the routes use unchanged. */
function settingsOf(config: Config) {
  return {
    keySecrets: config.SIGNING_KEY_SECRET,
    keyRenewalDays: config.SIGNING_KEY_RENEWAL_DAYS,
    peppers: config.API_KEY_PEPPER,
    clientSecretPeppers: config.CLIENT_SECRET_PEPPER,
    internalSecrets: config.INTERNAL_SECRET,
    baseUrl: config.BASE_URL,
    pricesUrl: config.PRICES_URL,
    hasura: { endpoint: config.HASURA_GRAPHQL_ENDPOINT, timeoutMs: config.HASURA_TIMEOUT_MS },
    socketSessionSeconds: config.WEBSOCKET_SESSION_SECONDS,
    trustedProxyHops: config.TRUSTED_PROXY_HOPS,
    startPageFile: config.START_PAGE_FILE,
    portal: portalOf(config),
  }
}

function portalOf(config: Config) {
  const { PORTAL_FOLDER: folder, START_PAGE_FILE: startPageFile } = config
  if (!folder) return null
  const { WALLET_BRIDGE_URL: bridgeUrl } = config
  const settings = {
    'auth-url': config.AUTH_URL,
    'bridge-url': bridgeUrl,
    'wallet-link-url': config.WALLET_LINK_URL,
    'simulator-url': config.SIMULATOR_URL ?? '',
    'guide-url': config.GUIDE_URL ?? '',
    'local-url': startPageFile ? LOCAL_PATH : '',
    'mail-url': config.MAIL_PAGE_URL ?? '',
  }
  return { folder, bridgeUrl, settings }
}

function mailerOf(config: Config) {
  return createMailer({
    url: config.SMTP_URL,
    from: config.MAIL_FROM,
    concurrency: MAIL_BATCH,
    timeoutMs: config.SMTP_TIMEOUT_MS,
  })
}

function passwordsOf(config: Config) {
  return createPasswords({
    concurrency: shareOfProcess(config.PASSWORD_CONCURRENCY, config),
    maxQueue: shareOfProcess(config.PASSWORD_MAX_QUEUE, config),
  })
}

/** Creates the signers of verification tokens and login tokens, and the recorder of API key use. */
function credentialsOf(config: Config, { graphql, now, log }: ServiceContext & { graphql: Sdk }) {
  const issuer = config.BASE_URL
  return {
    recordKeyUse: createKeyUseRecorder({ graphql, now, log }),
    tokens: createVerificationTokens({
      graphql,
      keySecrets: config.SIGNING_KEY_SECRET,
      issuer,
      now,
    }),
    loginTokens: createLoginTokens({ secrets: config.LOGIN_TOKEN_SECRET, issuer, now }),
  }
}

/** Creates the function that returns the id of the team or user with an `Authorization` header. */
function createCallerFinder(config: Config, callerServices: CallerServices) {
  const services = { ...callerServices, peppers: config.API_KEY_PEPPER }
  return async (authorization: string | undefined, headers: Record<string, string>) => {
    const session = await findSession(authorization, services, headers)
    return session?.['x-hasura-team-id'] ?? session?.['x-hasura-user-id'] ?? null
  }
}

/** Creates the function that explains to a caller why its credentials are refused. */
function createCredentialExplainer(config: Config, { graphql }: { graphql: Sdk }) {
  const services = { graphql, peppers: config.API_KEY_PEPPER }
  return (authorization: string | undefined, headers: Record<string, string>) =>
    explainCredentials(authorization, services, headers)
}

function paymentsOf(config: Config) {
  return {
    chains: readersOf(config),
    maxAgeSeconds: config.TRANSACTION_MAX_AGE_SECONDS,
    giveUpMs: config.TRANSACTION_GIVE_UP_SECONDS * 1_000,
  }
}

function readersOf(config: Config): Map<string, ChainReader> {
  const readers = readChains(config).map((chain) => {
    const rpc = createJsonRpc({
      url: chain.rpcUrl,
      timeoutMs: config.CHAIN_TIMEOUT_MS,
      batchSize: config.CHAIN_BATCH_SIZE,
      concurrency: config.CHAIN_CONCURRENCY,
    })
    return [chain.name, createChainReader(chain, rpc)] as const
  })
  return new Map(readers)
}

function pricesOf(config: Config, { graphql, now }: { graphql: Sdk; now: () => number }) {
  const codes = { cryptos: Object.keys(config.PRICE_IDS), fiats: config.PRICE_FIATS }
  const maxAgeMs = config.PRICE_MAX_AGE_SECONDS * 1_000
  return { ...codes, maxAgeMs, board: createPriceBoard({ graphql, ...codes, now }) }
}
