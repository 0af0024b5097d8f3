import type { Response } from 'express'

/** The dependencies of a service, by name; each probe resolves when its dependency answers. */
export type Probes = Record<string, () => Promise<unknown>>

/** Liveness: the process answers. */
export function sendLiveness(response: Response): void {
  response.type('text/plain').send('OK')
}

/** Readiness: 200 when every dependency answers, else 503; with the state of each. */
export async function sendReadiness(probes: Probes, response: Response): Promise<void> {
  const states = await Promise.all(Object.entries(probes).map(probeOne))
  const ready = states.every(([, state]) => state === 'ok')
  response.status(ready ? 200 : 503).json({ ready, checks: Object.fromEntries(states) })
}

async function probeOne([name, probe]: [string, Probes[string]]) {
  const state = await probe().then(
    () => 'ok' as const,
    () => 'away' as const,
  )
  return [name, state] as const
}
