import type { RequestHandler } from 'express'

/** What the service depends on: each resolves when its dependency answers. */
export type Probes = Record<string, () => Promise<unknown>>

/** Alive: the process answers. */
export const healthz: RequestHandler = (_request, response) => {
  response.type('text/plain').send('OK')
}

/**
 * Ready: every dependency answers; else 503, and which ones are away.
 *
 * @returns `{ ready, checks: { [name]: 'ok' | 'away' } }`
 */
export function readyz(probes: Probes): RequestHandler {
  return async (_request, response) => {
    const names = Object.keys(probes)
    const results = await Promise.allSettled(Object.values(probes).map((probe) => probe()))
    const states = results.map(({ status }) => (status === 'fulfilled' ? 'ok' : 'away'))
    const ready = states.every((state) => state === 'ok')
    const checks = Object.fromEntries(names.map((name, i) => [name, states[i]]))
    response.status(ready ? 200 : 503).json({ ready, checks })
  }
}
