import { Gauge } from 'prom-client'
import type { BacklogQuery, Sdk } from '../generated/sdk.ts'
import type { WebhooksMetrics } from './metrics.ts'

type BacklogServices = { graphql: Pick<Sdk, 'Backlog'>; now: () => number }

/**
 * Adds gauges of the work that waits in the database. Every instance reports the same values, and queries
 * them only when it is scraped; while Hasura does not answer, they are NaN.
 */
export function measureBacklog({ registry }: WebhooksMetrics, { graphql, now }: BacklogServices) {
  let asked: Promise<BacklogQuery> | null = null

  gauge('outbox_oldest_seconds', 'Age of the oldest message that is not sent yet', ({ mail }) =>
    age(mail[0]?.created_at, 0),
  )
  gauge(
    'transactions_pending',
    'Transactions whose chain has not decided; a thousand stands for more',
    ({ transaction }) => transaction.length,
  )
  gauge('transactions_pending_oldest_seconds', 'Age of the oldest of them', ({ transaction }) =>
    age(transaction[0]?.created_at, 0),
  )
  gauge(
    'prices_age_seconds',
    'Age of the newest price; not a number when there has never been one',
    ({ price }) => age(price[0]?.observed_at, Number.NaN),
  )

  function gauge(name: string, help: string, read: (backlog: BacklogQuery) => number) {
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        this.set(await ask().then(read, () => Number.NaN))
      },
    })
  }

  /** One query for all gauges of a scrape. */
  function ask(): Promise<BacklogQuery> {
    asked ??= graphql.Backlog({ now: new Date(now()).toISOString() }).finally(() => {
      asked = null
    })
    return asked
  }

  function age(since: string | undefined, none: number): number {
    return since === undefined ? none : Math.max(0, (now() - Date.parse(since)) / 1_000)
  }
}
