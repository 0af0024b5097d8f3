import { pino } from 'pino'

export type Log = pino.Logger

/**
 * A logger that writes one JSON line per event to standard output.
 *
 * Facts go in named fields, the message is fixed text: `log.info({ app_id }, 'verified')`.
 * Never give it a request body, a header or a secret.
 *
 * @param level pino's levels, or `silent`
 */
export function logger(service: string, level: string): Log {
  return pino({ level, base: { service }, timestamp: pino.stdTimeFunctions.isoTime })
}
