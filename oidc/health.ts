import type { RequestHandler } from 'express'
import { type Probes, probe } from '../lib/probes.ts'

/** Alive: the process answers. */
export const healthz: RequestHandler = (_request, response) => {
  response.type('text/plain').send('OK')
}

/** Ready: every dependency answers; else 503, and which ones are away. */
export function readyz(probes: Probes): RequestHandler {
  return async (_request, response) => {
    const readiness = await probe(probes)
    response.status(readiness.ready ? 200 : 503).json(readiness)
  }
}
