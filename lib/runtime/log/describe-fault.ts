import { pino } from 'pino'
import { z } from 'zod'
import { ExplainedFault } from './explained-fault.ts'

/** The fields of a PostgreSQL error that contain no values of a row or of a statement. */
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
 * Describes an error for the log by its type and stack, without its message, which may quote a caller's data. For a
 * PostgreSQL error: the SQLSTATE and the names of table, column, constraint and routine. For an `ExplainedFault`: its facts.
 */
export function describeFault(thrown: unknown): object | undefined {
  if (!(thrown instanceof Error)) return undefined
  const { data } = DatabaseFault.safeParse(thrown)
  if (data) {
    const { code: sqlstate, ...fields } = data
    return { type: 'DatabaseError', sqlstate, ...fields }
  }
  const { name: type, stack, cause } = thrown
  if (thrown instanceof ExplainedFault) return { type, ...thrown.facts }
  const code = 'code' in thrown ? thrown.code : undefined
  return { type, code, stack: framesOf(stack), cause: describeFault(cause) }
}

/** Describes an error with its message, unless PostgreSQL caused the error: its message may quote a caller's data. */
export function describeKnownFault(thrown: unknown): unknown {
  if (!(thrown instanceof Error) || isFromDatabase(thrown)) return describeFault(thrown)
  return pino.stdSerializers.err(thrown)
}

function isFromDatabase(error: Error): boolean {
  if (DatabaseFault.safeParse(error).success) return true
  return error.cause instanceof Error && isFromDatabase(error.cause)
}

/** Returns the frames of a stack, without the message above them. */
function framesOf(stack = ''): string {
  return stack
    .split('\n')
    .filter((line) => /^ +at /.test(line))
    .join('\n')
}
