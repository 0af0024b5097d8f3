import { z } from 'zod'
import type { Log } from '../log/log.ts'
import type { Operation } from './operation.ts'

/** The dependencies of a service, by name; each probe resolves when its dependency answers. */
export type Probes = Record<string, () => Promise<unknown>>

export type ReadyServices = { probes: Probes; log: Log }

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

/** A dependency that stays away is logged again after this time. */
const LOG_EVERY_MS = 60_000

/** Readiness: 200 if every dependency answers, else 503. The body has the state of each dependency. */
export const readyz: Operation<ReadyServices, unknown> = {
  tag: 'Internal',
  summary: 'Check that every dependency of the service answers',
  answers: { 200: Readiness, 503: Readiness },
  errors: [],
  handle: ({ probes, log }) => {
    const loggedAt = new Map<string, number>()
    return async (_input, _request, response) => {
      const states = await Promise.all(
        Object.entries(probes).map(async ([name, probe]) => {
          const fault = await findFault(probe)
          logFault({ name, fault, loggedAt, log })
          return [name, fault === null ? ('ok' as const) : ('away' as const)] as const
        }),
      )
      const ready = states.every(([, state]) => state === 'ok')
      response.set('cache-control', 'no-store')
      response.status(ready ? 200 : 503).json({ ready, checks: Object.fromEntries(states) })
    }
  },
}

async function findFault(probe: Probes[string]): Promise<Error | null> {
  return probe().then(
    () => null,
    (fault: unknown) => (fault instanceof Error ? fault : new Error(String(fault))),
  )
}

type ProbeResult = { name: string; fault: Error | null; loggedAt: Map<string, number>; log: Log }

/** Logs why a dependency does not answer, at most once a minute, and that it answers again. */
function logFault({ name, fault, loggedAt, log }: ProbeResult): void {
  const now = performance.now()
  if (fault === null) {
    if (loggedAt.delete(name)) log.info({ probe: name }, 'the dependency answers again')
  } else if (now - (loggedAt.get(name) ?? Number.NEGATIVE_INFINITY) >= LOG_EVERY_MS) {
    loggedAt.set(name, now)
    log.warn({ probe: name, err: fault }, 'the dependency does not answer, so /readyz says 503')
  }
}
