import { Counter, Gauge } from 'prom-client'
import type { Answered } from '../lib/edge.ts'
import { makeMetrics, observeRequest } from '../lib/metrics.ts'
import type { Sdk } from './generated/sdk.ts'

export type WebhooksMetrics = ReturnType<typeof webhooksMetrics>

/** What the developer API measures, beside what every service does. */
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

/** Writes down how a request was answered. */
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

/**
 * Measures work that waits in the database; every instance would say the same, and asks only when it
 * is asked.
 */
export function measureBacklog(
  { registry }: WebhooksMetrics,
  { graphql, now }: { graphql: Pick<Sdk, 'Backlog'>; now: () => number },
) {
  new Gauge({
    name: 'outbox_oldest_seconds',
    help: 'Since when the oldest message that is not sent yet has been due; not a number when Hasura does not answer',
    registers: [registry],
    async collect() {
      this.set(await ageOfOutbox().catch(() => Number.NaN))
    },
  })

  async function ageOfOutbox(): Promise<number> {
    const { mail } = await graphql.Backlog({ now: new Date(now()).toISOString() })
    const [oldest] = mail
    return oldest ? Math.max(0, (now() - Date.parse(oldest.created_at)) / 1_000) : 0
  }
}
