import { Counter } from 'prom-client'
import type { RequestOutcome } from '../../lib/runtime/http/begin-request.ts'
import type { RequestContext } from '../../lib/runtime/http/request-context.ts'
import { createRefusalRecorder } from '../../lib/runtime/request-log/record-refusals.ts'
import type { RequestLog } from '../../lib/runtime/request-log/request-log.ts'
import { createMetrics, recordAnswers } from '../../lib/runtime/telemetry/metrics.ts'

export type WebhooksMetrics = ReturnType<typeof createWebhooksMetrics>

/** Creates the metrics of the developer API: the metrics that every service has, and a counter of verifications. */
export function createWebhooksMetrics() {
  const metrics = createMetrics()
  const registers = [metrics.registry]
  return {
    ...metrics,
    verifications: new Counter({
      name: 'verifications_total',
      help: 'Responses to verification requests: `success`, `abandoned` or the error code',
      labelNames: ['result'],
      registers,
    }),
  }
}

const VERIFY_ROUTE = /^\/api\/v\d\/verify(?!-)/

/** Creates the function that records the response of a request: in the metrics, and in the request log if it is an error. */
export function createAnswerObserver(metrics: WebhooksMetrics, requestLog: RequestLog) {
  const observe = recordAnswers(metrics)
  const recordRefusal = createRefusalRecorder(requestLog)
  return (outcome: RequestOutcome, context: RequestContext) => {
    observe(outcome)
    recordRefusal(outcome, context)
    const { route, code, status } = outcome
    if (route && VERIFY_ROUTE.test(route))
      metrics.verifications.inc({ result: code ?? verificationOutcome(status) })
  }
}

function verificationOutcome(status: number): string {
  return status === 499 ? 'abandoned' : 'success'
}
