import { Counter, Gauge } from 'prom-client'
import type { Answered } from '../lib/http/edge.ts'
import { makeMetrics, observeRequest } from '../lib/telemetry/metrics.ts'
import type { BacklogQuery, Sdk } from './generated/sdk.ts'

export type WebhooksMetrics = ReturnType<typeof webhooksMetrics>

/** What the developer API measures, besides what every service does. */
export function webhooksMetrics() {
  const metrics = makeMetrics()
  const registers = [metrics.registry]
  return {
    ...metrics,
    verifications: new Counter({
      name: 'verifications_total',
      help: 'Answers to requests to verify: `success`, or the code of the error',
      labelNames: ['result'],
      registers,
    }),
  }
}

const VERIFY = /^\/api\/v\d\/verify(?!-)/

/** Records how a request was answered. */
export function measure(metrics: WebhooksMetrics) {
  const observe = observeRequest(metrics)
  return (answered: Answered) => {
    observe(answered)
    const { route, code, status } = answered
    if (route && VERIFY.test(route))
      metrics.verifications.inc({ result: code ?? outcomeOf(status) })
  }
}

function outcomeOf(status: number): string {
  return status === 499 ? 'abandoned' : 'success'
}

type Asking = { graphql: Pick<Sdk, 'Backlog'>; now: () => number }

/**
 * Measures work that waits in the database. Every instance reports the same, and queries only when it is
 * scraped; while Hasura does not answer, the values are NaN.
 */
export function measureBacklog({ registry }: WebhooksMetrics, { graphql, now }: Asking) {
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
