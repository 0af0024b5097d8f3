import { Gauge, type Registry } from 'prom-client'
import type { BacklogQuery, Sdk } from '../generated/sdk.ts'
import type { WebhooksMetrics } from './metrics.ts'

type BacklogServices = { graphql: Pick<Sdk, 'Backlog'>; now: () => number }

/**
 * Adds gauges of the work that waits in the database, and of the signing keys. Every instance reports the same values.
 * Each scrape queries them; while Hasura does not answer, they are NaN.
 */
export function measureBacklog({ registry }: WebhooksMetrics, { graphql, now }: BacklogServices) {
  const query = createSharedQuery({ graphql, now })

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
  measureKeys(registry, { query, now })

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

/** Adds the gauge of the time until the newest key for each use expires. */
function measureKeys(
  registry: Registry,
  { query, now }: { query: () => Promise<BacklogQuery>; now: () => number },
) {
  new Gauge({
    name: 'signing_key_expires_seconds',
    help: 'Time until the newest signing key expires, by use; 0 if it has expired or does not exist',
    labelNames: ['use'],
    registers: [registry],
    aggregator: 'min',
    async collect() {
      const backlog = await query().catch(() => null)
      this.set({ use: 'verification' }, secondsLeft(backlog?.verification_key))
      this.set({ use: 'sign-in' }, secondsLeft(backlog?.sign_in_key))
    },
  })

  function secondsLeft(keys: readonly { expires_at: string }[] | undefined): number {
    if (!keys) return Number.NaN
    const [newest] = keys
    return newest ? Math.max(0, (Date.parse(newest.expires_at) - now()) / 1_000) : 0
  }
}

/** Creates the function that queries the database. All gauges of a scrape share one query. */
function createSharedQuery({ graphql, now }: BacklogServices): () => Promise<BacklogQuery> {
  let query: Promise<BacklogQuery> | null = null
  return () => {
    query ??= graphql.Backlog({ now: new Date(now()).toISOString() }).finally(() => {
      query = null
    })
    return query
  }
}
