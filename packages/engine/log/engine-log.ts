import { describeFault, describeKnownFault } from '../../../lib/runtime/log/describe-fault.ts'
import { type Log, type LogOptions, openLog } from '../../../lib/runtime/log/log.ts'

/**
 * Creates a log with lines in the form of Hasura: `{"level":…,"timestamp":…,"type":…,"detail":…}`. The fields of a line
 * are in `detail`, and so is its message. The field `log_type` becomes the line's `type`.
 */
export function createEngineLog(level: string): Log {
  const options: LogOptions = {
    level,
    base: null,
    timestamp: () => `,"timestamp":"${hasuraTime()}"`,
    formatters: { level: (label) => ({ level: label }) },
    hooks: {
      logMethod([first, message], method) {
        const fields: object = typeof first === 'object' && first !== null ? first : {}
        method.call(this, toLine(fields, typeof first === 'string' ? first : message))
      },
    },
  }
  return openLog(options, BATCH_BYTES)
}

/** The lines of about sixty requests. A write costs as much CPU as several lines, and the engine is a single process. */
const BATCH_BYTES = 32_768

/** The type of a line that Hasura does not have. */
const OWN_TYPE = 'engine'

function toLine(fields: Fields, message: string | undefined): object {
  const { log_type: type = OWN_TYPE } = fields
  // The line of a request is already complete. Copying its fields would cost as much as writing it.
  if (fields.detail !== undefined) return { type, detail: fields.detail }
  const { log_type: _type, ...detail } = fields
  if (message !== undefined) detail.message = message
  if ('err' in detail) detail.err = describeKnownFault(detail.err)
  if ('cause' in detail) detail.cause = describeFault(detail.cause)
  return { type, detail }
}

type Fields = {
  log_type?: string
  detail?: object
  message?: string
  err?: unknown
  cause?: unknown
}

let second = 0
let secondText = ''

/** Returns the time in Hasura's form: milliseconds, and the zone without a colon. Formats each second only once. */
function hasuraTime(): string {
  const now = Date.now()
  const currentSecond = Math.trunc(now / 1_000)
  if (currentSecond !== second) {
    second = currentSecond
    secondText = new Date(now).toISOString().slice(0, '2026-01-31T12:00:00.'.length)
  }
  return `${secondText}${String(now % 1_000).padStart(3, '0')}+0000`
}
