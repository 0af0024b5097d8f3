import type { DatabaseError } from 'pg'

/** Returns the `internal` part of an error for a statement that failed. */
export function databaseFault(statement: string, cause: DatabaseError): object {
  const error = {
    exec_status: 'FatalError',
    hint: cause.hint ?? null,
    message: cause.message,
    status_code: cause.code,
    description: cause.detail ?? null,
  }
  return { statement, prepared: false, error, arguments: [] }
}
