import { pino } from 'pino'
import { z } from 'zod'
import type { Log } from '../../../../lib/runtime/log/log.ts'
import { describeDetail } from './describe-detail.ts'

const Line = z.looseObject({
  level: z.number(),
  msg: z.string().optional(),
  log_type: z.string().optional(),
})

/** pino's number for errors. */
const ERROR = 50

/** The types of lines that are omitted, because `dev` prints the same facts in its own words. */
const REPLACED_TYPES: ReadonlySet<string> = new Set(['startup', 'metadata'])

/** Creates a log that writes readable lines to the terminal. */
export function createTerminalLog(write: (line: string) => void): Log {
  const destination = {
    write(json: string) {
      const { level, log_type: type = '', msg = type, ...fields } = Line.parse(JSON.parse(json))
      if (REPLACED_TYPES.has(type)) return
      const name = level >= ERROR ? 'error: ' : ''
      write(`${name}${describeDetail(type, fields.detail) ?? `${msg} ${describeFields(fields)}`}`)
    },
  }
  return pino({ level: 'info', base: null, timestamp: false }, destination)
}

/** Returns the fields as text, for example `version=17 table=author`. An error becomes its message. */
function describeFields(fields: Readonly<Record<string, unknown>>): string {
  return Object.entries(fields)
    .map(([key, value]) => `${key}=${describeField(value)}`)
    .join(' ')
}

const Fault = z.looseObject({ message: z.string() })

function describeField(value: unknown): string {
  const fault = Fault.safeParse(value)
  if (fault.success) return fault.data.message
  return typeof value === 'string' ? value : JSON.stringify(value)
}
