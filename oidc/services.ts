import { Pool } from 'pg'
import type { SignInConfig } from '../lib/runtime/config.ts'
import { createCredentialGate } from '../lib/runtime/limits/credential-gate.ts'
import type { Log } from '../lib/runtime/log/log.ts'
import { startChore } from '../lib/runtime/service/chore.ts'
import { connectHasura, type ServiceContext } from '../lib/runtime/service/connect-hasura.ts'
import { createMetrics } from '../lib/runtime/telemetry/metrics.ts'
import { readProvingGroups } from '../lib/verification/roots/proving-groups.ts'
import { startVerification } from '../lib/verification/verification.ts'
import type { Services } from './app.ts'
import { createAppCache } from './clients/app-cache.ts'
import { createClientAdapter } from './clients/client-adapter.ts'
import { createIntrospectionQueue } from './endpoints/credential-turn.ts'
import { createLimits } from './endpoints/rate-limits.ts'
import { getSdk, type Sdk } from './generated/sdk.ts'
import { startRotatingProvider } from './provider/rotating-provider.ts'
import { usePlansByKey } from './storage/artifact-statement.ts'
import { type ArtifactStore, createArtifactStore } from './storage/artifact-store.ts'

type RunningServices = Services & {
  /** Loads new signing keys now; a timer also does this every `KEY_REFRESH_MS`. */
  refreshKeys(): Promise<void>
  /** Deletes expired artifacts now; a timer also does this every 30 seconds. */
  deleteExpired(): Promise<void>
  /** Ends the timers, the threads and the connections. */
  close(): Promise<void>
}

const EXPIRE_MS = 30_000
const REMOVE_CLIENTS_MS = 3_600_000

/** Creates the services that the routes use; resolves when they are ready for requests. */
export async function startServices(
  config: SignInConfig,
  { log, now }: ServiceContext,
): Promise<RunningServices> {
  const metrics = createMetrics()
  const hasura = connectHasura(config, { metrics, getSdk, log, now })
  const { client, graphql, counts, requestLog, probe } = hasura
  const verification = await startVerification(config, { hasura: client, metrics, log, now })
  const pool = openPool(config, log)
  const artifacts = createArtifactStore(pool)
  const apps = createAppCache({ graphql, now })
  const provider = await startRotatingProvider({
    keys: { graphql, secrets: config.SIGNING_KEY_SECRET, now },
    issuer: config.AUTH_URL,
    cookieKeys: config.COOKIE_KEYS,
    artifacts,
    clients: createClientAdapter({ apps, ...redirectRulesOf(config) }),
    log,
  })
  const chores = startChores(config, { log, graphql, refreshKeys: provider.refresh, artifacts })
  return {
    ...settingsOf(config),
    refreshKeys: provider.refresh,
    deleteExpired: artifacts.deleteExpired,
    graphql,
    apps,
    provider: provider.current,
    verification,
    artifacts,
    metrics,
    requestLog,
    limits: createLimits(config, counts),
    gate: createCredentialGate(),
    introspections: createIntrospectionQueue(config.DATABASE_POOL_SIZE),
    probes: {
      graphql: probe,
      database: () => pool.query('select 1'),
      chain: verification.probeChain,
    },
    log,
    async close() {
      for (const chore of chores) chore.stop()
      await counts.close()
      await requestLog.close()
      await verification.close()
      await pool.end()
    },
  }
}

type ChoreServices = {
  log: Log
  graphql: Sdk
  refreshKeys: () => Promise<void>
  artifacts: ArtifactStore
}

function startChores(
  { KEY_REFRESH_MS }: SignInConfig,
  { log, graphql, refreshKeys, artifacts }: ChoreServices,
) {
  return [
    startChore({ name: 'refresh_keys', everyMs: KEY_REFRESH_MS, run: refreshKeys, log }),
    startChore({ name: 'delete_expired', everyMs: EXPIRE_MS, run: artifacts.deleteExpired, log }),
    startChore({
      name: 'remove_unused_clients',
      everyMs: REMOVE_CLIENTS_MS,
      run: async () => void (await graphql.RemoveUnusedClients({ limit: 1_000 })),
      log,
    }),
  ]
}

/** The values of the configuration that the routes use unchanged. */
function settingsOf(config: SignInConfig) {
  return {
    issuer: config.AUTH_URL,
    cookieKeys: config.COOKIE_KEYS,
    clientSecretPeppers: config.CLIENT_SECRET_PEPPER,
    allowsPostToAuthorize: config.AUTHORIZE_BY_POST,
    rootMaxAgeSeconds: config.SIGN_IN_ROOT_MAX_AGE_SECONDS,
    groups: readProvingGroups(config),
    wallet: {
      bridgeUrl: config.WALLET_BRIDGE_URL,
      linkUrl: config.WALLET_LINK_URL,
      simulatorUrl: config.SIMULATOR_URL ?? null,
    },
    trustedProxyHops: config.TRUSTED_PROXY_HOPS,
  }
}

/** The values of the configuration that allow further redirect URIs. */
function redirectRulesOf(config: SignInConfig) {
  return {
    developmentRedirects: config.DEVELOPMENT_REDIRECT_URIS,
    allowsLocalhost: config.LOCALHOST_REDIRECTS,
  }
}

function openPool(config: SignInConfig, log: Log): Pool {
  const pool = new Pool({
    connectionString: config.DATABASE_URL,
    application_name: 'oidc',
    max: config.DATABASE_POOL_SIZE,
    connectionTimeoutMillis: 3_000,
    query_timeout: 5_000,
    onConnect: usePlansByKey,
  })
  // A restart of the database closes idle connections; the next request opens a new connection.
  pool.on('error', (err) => log.warn({ err }, 'an idle connection to the database was closed'))
  return pool
}
