import { pino } from 'pino'
import { describeFault, describeKnownFault } from './describe-fault.ts'
import { openLogOutput } from './log-output.ts'

export type Log = pino.Logger

/** `err` is an error of our own making, `cause` may be any that was thrown. */
const SERIALIZERS = { err: describeKnownFault, cause: describeFault }

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
  const options = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: SERIALIZERS,
  }
  if (level === 'silent') return pino(options)
  const log: Log = pino(
    options,
    openLogOutput({ onRecovery: (lost) => log.warn({ lost }, 'lines of this log were lost') }),
  )
  return log
}
