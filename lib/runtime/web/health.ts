import { z } from 'zod'
import type { Operation } from './operation.ts'

/** The dependencies of a service, by name; each probe resolves when its dependency answers. */
export type Probes = Record<string, () => Promise<unknown>>

export type ReadyServices = { probes: Probes }

/** Liveness: always 200 while the process runs. */
export const healthz: Operation<unknown, unknown> = {
  tag: 'Health',
  summary: 'Check that the process answers',
  answers: { 200: 'text/plain' },
  errors: [],
  handle: () => (_input, _request, response) => response.type('text/plain').send('OK'),
}

const Readiness = z.strictObject({
  ready: z.boolean(),
  checks: z.record(z.string(), z.enum(['ok', 'away'])),
})

/** Readiness: 200 if every dependency answers, else 503. The body has the state of each dependency. */
export const readyz: Operation<ReadyServices, unknown> = {
  tag: 'Internal',
  summary: 'Check that every dependency of the service answers',
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
