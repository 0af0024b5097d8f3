import { z } from 'zod'
import { type Probes, sendLiveness, sendReadiness } from '../../lib/runtime/http/health.ts'
import type { Operation } from '../../lib/runtime/web/operation.ts'

export type ReadyServices = { probes: Probes }

/** Liveness: the process answers. */
export const healthz: Operation<unknown, unknown> = {
  tag: 'Health',
  summary: 'Whether the process answers',
  answers: { 200: 'text/plain' },
  errors: [],
  handle: () => (_input, _request, response) => sendLiveness(response),
}

const Readiness = z.strictObject({
  ready: z.boolean(),
  checks: z.record(z.string(), z.enum(['ok', 'away'])),
})

/**
 * Readiness: 200 when every dependency answers, else 503; with the state of each.
 *
 * @returns `{ ready, checks: { [name]: 'ok' | 'away' } }`
 */
export const readyz: Operation<ReadyServices, unknown> = {
  tag: 'Internal',
  summary: 'Whether everything that the service depends on answers',
  answers: { 200: Readiness, 503: Readiness },
  errors: [],
  handle:
    ({ probes }) =>
    (_input, _request, response) =>
      sendReadiness(probes, response),
}
