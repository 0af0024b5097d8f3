import { pino } from 'pino'
import { z } from 'zod'
import { ExplainedFault } from './explained-fault.ts'

/** The parts of an error of PostgreSQL that name things and hold no value of a row or of a statement. */
const DatabaseFault = z.object({
  severity: z.string(),
  code: z.string().length(5),
  schema: z.string().optional(),
  table: z.string().optional(),
  column: z.string().optional(),
  constraint: z.string().optional(),
  routine: z.string().optional(),
})

/**
 * Describes an error for the log by its kind and place, never by its message: messages quote what callers sent. Of an error
 * of PostgreSQL it gives the SQLSTATE, and which table, column, constraint and routine it names. Of an `ExplainedFault` it
 * gives the facts.
 */
export function describeFault(thrown: unknown): object | undefined {
  if (!(thrown instanceof Error)) return undefined
  const { data } = DatabaseFault.safeParse(thrown)
  if (data) {
    const { code: sqlstate, ...named } = data
    return { type: 'DatabaseError', sqlstate, ...named }
  }
  const { name: type, stack, cause } = thrown
  if (thrown instanceof ExplainedFault) return { type, ...thrown.facts }
  const code = 'code' in thrown ? thrown.code : undefined
  return { type, code, stack: framesOf(stack), cause: describeFault(cause) }
}

/** Describes an error for the log with its message, unless it comes from PostgreSQL, whose messages quote values. */
export function describeKnownFault(thrown: unknown): unknown {
  if (!(thrown instanceof Error) || isFromDatabase(thrown)) return describeFault(thrown)
  return pino.stdSerializers.err(thrown)
}

function isFromDatabase(error: Error): boolean {
  if (DatabaseFault.safeParse(error).success) return true
  return error.cause instanceof Error && isFromDatabase(error.cause)
}

/** The lines of a stack that name places; those before them are the message. */
function framesOf(stack = ''): string {
  return stack
    .split('\n')
    .filter((line) => /^ +at /.test(line))
    .join('\n')
}
