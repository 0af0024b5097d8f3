import { Gauge } from 'prom-client'
import type { BacklogQuery, Sdk } from '../generated/sdk.ts'
import type { WebhooksMetrics } from './metrics.ts'

type BacklogServices = { graphql: Pick<Sdk, 'Backlog'>; now: () => number }

/**
 * Adds gauges of the work that waits in the database. Every instance reports the same values. Each scrape queries them;
 * while Hasura does not answer, they are NaN.
 */
export function measureBacklog({ registry }: WebhooksMetrics, { graphql, now }: BacklogServices) {
  let query: Promise<BacklogQuery> | null = null

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

  function gauge(name: string, help: string, read: (backlog: BacklogQuery) => number) {
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        this.set(await queryBacklog().then(read, () => Number.NaN))
      },
    })
  }

  /** Runs one query for all gauges of a scrape. */
  function queryBacklog(): Promise<BacklogQuery> {
    query ??= graphql.Backlog({ now: new Date(now()).toISOString() }).finally(() => {
      query = null
    })
    return query
  }

  function ageSeconds(since: string | undefined, none: number): number {
    return since === undefined ? none : Math.max(0, (now() - Date.parse(since)) / 1_000)
  }
}
