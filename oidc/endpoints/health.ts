import type { RequestHandler } from 'express'
import { type Probes, sendLiveness, sendReadiness } from '../../lib/runtime/http/health.ts'

export const answerHealthz: RequestHandler = (_request, response) => sendLiveness(response)

export function answerReadyz(probes: Probes): RequestHandler {
  return (_request, response) => sendReadiness(probes, response)
}
