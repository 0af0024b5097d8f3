import type { DatabaseError } from 'pg'

/** The `internal` part of an error about a statement that the database refused, which only admin sees. */
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
