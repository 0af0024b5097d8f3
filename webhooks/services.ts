import { jsonRpc } from '../lib/chain/json-rpc.ts'
import type { Config } from '../lib/config.ts'
import { hasura, observedCalling } from '../lib/graphql.ts'
import { hitCounts } from '../lib/limits/hit-counts.ts'
import type { Log } from '../lib/telemetry/log.ts'
import { observeGraphql } from '../lib/telemetry/metrics.ts'
import { startVerification } from '../verification/verification.ts'
import { passwords } from './accounts/passwords.ts'
import type { Services } from './app.ts'
import { loginTokens } from './credentials/login-token.ts'
import { getSdk, type Sdk } from './generated/sdk.ts'
import { mailer } from './mail/mailer.ts'
import { measureBacklog } from './monitoring/backlog.ts'
import { webhooksMetrics } from './monitoring/metrics.ts'
import { MAIL_BATCH } from './outbox/deliver-mail.ts'
import { type ChainReader, chainReader } from './payments/chain-reader.ts'
import { chainsOf } from './payments/chains.ts'
import { priceBoard } from './prices/price-board.ts'
import { providersOf } from './prices/providers/providers.ts'
import { makeLimits } from './route/rate-limits.ts'
import { verificationTokens } from './verify/verification-token.ts'

type Running = Services & {
  /** Ends threads and connections. */
  close(): Promise<void>
}

type Surroundings = {
  log: Log
  /** Milliseconds since the epoch. */
  now: () => number
}

/** Builds everything that the routes use, from the configuration only; resolves once it is warmed up. */
export async function startServices(config: Config, { log, now }: Surroundings): Promise<Running> {
  const endpoint = config.HASURA_GRAPHQL_ENDPOINT
  const timeoutMs = config.HASURA_TIMEOUT_MS
  const adminSecrets = config.HASURA_GRAPHQL_ADMIN_SECRET
  const metrics = webhooksMetrics()
  const client = hasura({ endpoint, adminSecrets, timeoutMs })
  const graphql = getSdk(client, observedCalling(observeGraphql(metrics)))
  measureBacklog(metrics, { graphql, now })
  const verification = await startVerification(config, { hasura: client, metrics, now })
  const counts = hitCounts({
    settle: async (counted) => (await graphql.CountHits({ counted })).count_hits,
    onFailure: (err) => log.warn({ err }, 'rate limits are counted by this instance alone'),
    now,
    intervalMs: 200,
    maxKeys: 100_000,
  })
  const post = mailer({
    url: config.SMTP_URL,
    from: config.MAIL_FROM,
    concurrency: MAIL_BATCH,
    timeoutMs: config.SMTP_TIMEOUT_MS,
  })
  const hashing = await passwords({
    concurrency: config.PASSWORD_CONCURRENCY,
    maxQueue: config.PASSWORD_MAX_QUEUE,
  })
  return {
    graphql,
    verification,
    tokens: verificationTokens({
      graphql,
      keySecrets: config.SIGNING_KEY_SECRET,
      issuer: config.BASE_URL,
      now,
    }),
    keySecrets: config.SIGNING_KEY_SECRET,
    now,
    peppers: config.API_KEY_PEPPER,
    clientSecretPeppers: config.CLIENT_SECRET_PEPPER,
    payments: {
      chains: readersOf(config),
      maxAgeSeconds: config.TRANSACTION_MAX_AGE_SECONDS,
      giveUpMs: config.TRANSACTION_GIVE_UP_SECONDS * 1_000,
    },
    prices: pricesOf(config, { graphql, now }),
    priceProviders: providersOf(config, now),
    limits: makeLimits(config, counts),
    passwords: hashing,
    loginTokens: loginTokens({ secrets: config.LOGIN_TOKEN_SECRET, issuer: config.BASE_URL, now }),
    verifyV1: {
      sunset: config.VERIFY_V1_SUNSET,
      successor: `${config.BASE_URL}/api/v2/verify`,
      now,
    },
    socketSessionSeconds: config.WEBSOCKET_SESSION_SECONDS,
    internalSecrets: config.INTERNAL_SECRET,
    mailer: post,
    baseUrl: config.BASE_URL,
    pricesUrl: config.PRICES_URL,
    hasura: { endpoint, timeoutMs },
    probes: {
      graphql: () => client.request('{ __typename }'),
      chain: verification.probeChain,
    },
    metrics,
    trustedProxyHops: config.TRUSTED_PROXY_HOPS,
    startPageFile: config.START_PAGE_FILE,
    log,
    async close() {
      await counts.close()
      await hashing.close()
      post.close()
      await verification.close()
    },
  }
}

function readersOf(config: Config): Map<string, ChainReader> {
  const readers = chainsOf(config).map((chain) => {
    const rpc = jsonRpc({
      url: chain.rpcUrl,
      timeoutMs: config.CHAIN_TIMEOUT_MS,
      batchSize: config.CHAIN_BATCH_SIZE,
      concurrency: config.CHAIN_CONCURRENCY,
    })
    return [chain.name, chainReader(chain, rpc)] as const
  })
  return new Map(readers)
}

function pricesOf(config: Config, { graphql, now }: { graphql: Sdk; now: () => number }) {
  const codes = { cryptos: Object.keys(config.PRICE_IDS), fiats: config.PRICE_FIATS }
  const maxAgeMs = config.PRICE_MAX_AGE_SECONDS * 1_000
  return { ...codes, maxAgeMs, board: priceBoard({ graphql, ...codes, now }) }
}
