import { z } from 'zod'
import type { Operation } from './operation.ts'

/** The dependencies of a service, by name; each probe resolves when its dependency answers. */
export type Probes = Record<string, () => Promise<unknown>>

export type ReadyServices = { probes: Probes }

/** Liveness: the process answers. */
export const healthz: Operation<unknown, unknown> = {
  tag: 'Health',
  summary: 'Whether the process answers',
  answers: { 200: 'text/plain' },
  errors: [],
  handle: () => (_input, _request, response) => response.type('text/plain').send('OK'),
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
    async (_input, _request, response) => {
      const states = await Promise.all(Object.entries(probes).map(probeOne))
      const ready = states.every(([, state]) => state === 'ok')
      response.set('cache-control', 'no-store')
      response.status(ready ? 200 : 503).json({ ready, checks: Object.fromEntries(states) })
    },
}

async function probeOne([name, probe]: [string, Probes[string]]) {
  const state = await probe().then(
    () => 'ok' as const,
    () => 'away' as const,
  )
  return [name, state] as const
}
