import { Gauge, type Registry } from 'prom-client'
import { openSigningJwk } from '../../lib/runtime/secrets/key-pair.ts'
import type { Secrets } from '../../lib/runtime/secrets/secret.ts'
import type { BacklogQuery, Sdk } from '../generated/sdk.ts'
import type { WebhooksMetrics } from './metrics.ts'

type BacklogServices = { graphql: Pick<Sdk, 'Backlog'>; now: () => number; keySecrets: Secrets }

/**
 * Adds gauges of the work that waits in the database, and of the signing keys. Every instance reports the same values.
 * Each scrape queries them; while Hasura does not answer, they are NaN.
 */
export function measureBacklog({ registry }: WebhooksMetrics, services: BacklogServices) {
  const { now, keySecrets } = services
  const query = createSharedQuery(services)

  gauge('outbox_oldest_seconds', 'Age of the oldest unsent message', ({ mail }) =>
    ageSeconds(mail[0]?.created_at, 0),
  )
  gauge(
    'transactions_pending',
    'Transactions that are still pending; 1000 means at least 1000',
    ({ transaction }) => transaction.length,
  )
  gauge(
    'transactions_pending_oldest_seconds',
    'Age of the oldest pending transaction',
    ({ transaction }) => ageSeconds(transaction[0]?.created_at, 0),
  )
  gauge('prices_age_seconds', 'Age of the newest price; NaN without any price', ({ price }) =>
    ageSeconds(price[0]?.observed_at, Number.NaN),
  )
  measureKeys(registry, { query, now, keySecrets })

  function gauge(name: string, help: string, read: (backlog: BacklogQuery) => number) {
    new Gauge({
      name,
      help,
      registers: [registry],
      // The processes of an instance report the same value, so a sum would be wrong.
      aggregator: 'max',
      async collect() {
        this.set(await query().then(read, () => Number.NaN))
      },
    })
  }

  function ageSeconds(since: string | undefined, none: number): number {
    return since === undefined ? none : Math.max(0, (now() - Date.parse(since)) / 1_000)
  }
}

type KeyOptions = Pick<BacklogServices, 'now' | 'keySecrets'> & {
  query: () => Promise<BacklogQuery>
}

/**
 * Adds the gauge of the time until the newest key for each use expires. A key that the service cannot decrypt signs nothing, so
 * it counts as a missing key.
 */
function measureKeys(registry: Registry, { query, now, keySecrets }: KeyOptions) {
  new Gauge({
    name: 'signing_key_expires_seconds',
    help: 'Time until the newest signing key expires, by use; 0 if it has expired, does not exist or cannot be decrypted',
    labelNames: ['use'],
    registers: [registry],
    aggregator: 'min',
    async collect() {
      const backlog = await query().catch(() => null)
      this.set({ use: 'verification' }, secondsLeft(backlog?.verification_key))
      this.set({ use: 'sign-in' }, secondsLeft(backlog?.sign_in_key))
    },
  })

  function secondsLeft(keys: BacklogQuery['verification_key'] | undefined): number {
    if (!keys) return Number.NaN
    const [newest] = keys
    if (!newest || !canDecrypt(newest, keySecrets)) return 0
    return Math.max(0, (Date.parse(newest.expires_at) - now()) / 1_000)
  }
}

function canDecrypt(key: BacklogQuery['verification_key'][number], secrets: Secrets): boolean {
  try {
    openSigningJwk(key, secrets)
    return true
  } catch {
    return false
  }
}

/** Creates the function that queries the database. All gauges of a scrape share one query. */
function createSharedQuery({
  graphql,
  now,
}: Pick<BacklogServices, 'graphql' | 'now'>): () => Promise<BacklogQuery> {
  let query: Promise<BacklogQuery> | null = null
  return () => {
    query ??= graphql.Backlog({ now: new Date(now()).toISOString() }).finally(() => {
      query = null
    })
    return query
  }
}
