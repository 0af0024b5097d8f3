import { pino } from 'pino'
import { openLogOutput } from './log-output.ts'

export type Log = pino.Logger

/**
 * A logger that writes one JSON line per event to standard output. A line that cannot be written is lost, and counted
 * (`log-output.ts`); nothing else comes of it.
 *
 * Facts go in named fields, the message is fixed text: `log.info({ app_id }, 'verified')`.
 * Never give it a request body, a header or a secret.
 *
 * @param level pino's levels, or `silent`
 */
export function createLogger(service: string, level: string): Log {
  const options = { level, base: { service }, timestamp: pino.stdTimeFunctions.isoTime }
  if (level === 'silent') return pino(options)
  const log: Log = pino(
    options,
    openLogOutput({ onRecovery: (lost) => log.warn({ lost }, 'lines of this log were lost') }),
  )
  return log
}
