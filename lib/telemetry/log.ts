import { pino } from 'pino'

export type Log = pino.Logger

/** How long a line may wait to be written together with later ones. */
const FLUSH_MS = 100

/**
 * A logger that writes one JSON line per event to standard output.
 *
 * Facts go in named fields, the message is fixed text: `log.info({ app_id }, 'verified')`.
 * Never give it a request body, a header or a secret.
 *
 * @param level pino's levels, or `silent`
 */
export function createLogger(service: string, level: string): Log {
  const options = { level, base: { service }, timestamp: pino.stdTimeFunctions.isoTime }
  return level === 'silent' ? pino(options) : pino(options, bufferedOutput())
}

/** Lines are written together: a write for each would cost as much as the request that it logs. */
function bufferedOutput() {
  const output = pino.destination({ dest: 1, minLength: 4_096, sync: true })
  setInterval(() => output.flush(), FLUSH_MS).unref()
  process.once('exit', () => output.flushSync())
  return output
}
