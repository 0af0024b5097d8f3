import { pino } from 'pino'
import { describeFault, describeKnownFault } from './describe-fault.ts'
import { openLogOutput, SHARED_BATCH_BYTES } from './log-output.ts'

export type Log = pino.Logger
export type LogOptions = pino.LoggerOptions

/**
 * An error in the field `err` is logged with its message, unless PostgreSQL caused the error. An error in the field
 * `cause` is logged without its message.
 */
const SERIALIZERS = { err: describeKnownFault, cause: describeFault }

/**
 * Creates a logger that writes a JSON line for each event to standard output. A line that cannot be written waits in
 * memory. If too many lines wait, further lines are lost and counted (`log-output.ts`).
 *
 * Facts go in named fields, and the message is fixed text: `log.info({ app_id }, 'verified')`. Never log a request
 * body, a header or a secret.
 *
 * @param level pino's levels, or `silent`
 */
export function createLogger(service: string, level: string): Log {
  return openLog({
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: SERIALIZERS,
  })
}

/**
 * Like `createLogger`, for a program with another form of lines.
 *
 * @param batchBytes the size of a write; more than 4,096 only for a program that runs in a single process
 */
export function openLog(options: LogOptions, batchBytes = SHARED_BATCH_BYTES): Log {
  if (options.level === 'silent') return pino(options)
  const log: Log = pino(
    options,
    openLogOutput({
      batchBytes,
      onRecovery: (lostCount) => log.warn({ lost: lostCount }, 'lines of this log were lost'),
    }),
  )
  return log
}
