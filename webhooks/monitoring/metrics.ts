import { Counter } from 'prom-client'
import type { RequestOutcome } from '../../lib/runtime/http/begin-request.ts'
import { createMetrics, recordAnswers } from '../../lib/runtime/telemetry/metrics.ts'

export type WebhooksMetrics = ReturnType<typeof webhooksMetrics>

/** What the developer API measures, besides what every service does. */
export function webhooksMetrics() {
  const metrics = createMetrics()
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

const VERIFY_ROUTE = /^\/api\/v\d\/verify(?!-)/

/** Records how a request was answered. */
export function observeAnswers(metrics: WebhooksMetrics) {
  const observe = recordAnswers(metrics)
  return (outcome: RequestOutcome) => {
    observe(outcome)
    const { route, code, status } = outcome
    if (route && VERIFY_ROUTE.test(route))
      metrics.verifications.inc({ result: code ?? verificationOutcome(status) })
  }
}

function verificationOutcome(status: number): string {
  return status === 499 ? 'abandoned' : 'success'
}
