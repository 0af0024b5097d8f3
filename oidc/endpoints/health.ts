import type { RequestHandler } from 'express'
import { type Probes, probe } from '../../lib/http/probes.ts'

/** Liveness: the process answers. */
export const healthz: RequestHandler = (_request, response) => {
  response.type('text/plain').send('OK')
}

/** Readiness: 200 when every dependency answers; otherwise 503, and which ones do not. */
export function readyz(probes: Probes): RequestHandler {
  return async (_request, response) => {
    const readiness = await probe(probes)
    response.status(readiness.ready ? 200 : 503).json(readiness)
  }
}
