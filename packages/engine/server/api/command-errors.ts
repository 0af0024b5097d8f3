import { EngineError } from '../../errors.ts'
import { memberAt } from '../../json/record.ts'
import { UNSUPPORTED_COMMANDS } from './unsupported-commands.ts'

/**
 * Creates the error for a type of command that Hasura does not have, or that the engine does not support.
 *
 * @param endpoint chooses the wording of Hasura's parser for `/v2/query` (`sql`), or of its parser for the other endpoints
 */
export function unknownCommandError(type: string, endpoint: 'sql' | 'metadata'): EngineError {
  if (UNSUPPORTED_COMMANDS.has(type))
    return new EngineError('not-supported', `${type} is not supported`)
  if (endpoint === 'sql')
    return new EngineError('parse-failed', `Unrecognised RQLQuery type: ${type}`)
  const [backend = '', ...rest] = type.split('_')
  const objectName = `"${rest.join('_')}" for backend ${backend === 'pg' ? 'postgres' : backend}`
  return new EngineError('parse-failed', `unknown metadata command ${objectName}`)
}

/** Creates Hasura's error for a command of another kind of database, such as `mssql_…`. */
export function otherDatabaseError(
  { args }: { args: unknown },
  endpoint: 'sql' | 'metadata',
): EngineError {
  const source = memberAt(args, 'source') ?? 'default'
  return new EngineError('unexpected', `source with name "${source}" is inconsistent`, {
    path: endpoint === 'sql' ? '$' : '$.args',
    status: 400,
  })
}

/** Adds Hasura's hint to the error for arguments of a `pg_…` command that cannot be parsed. */
export function withCommandHint(type: string, thrown: unknown): unknown {
  if (!(thrown instanceof EngineError) || thrown.code !== 'parse-failed') return thrown
  if (!type.startsWith('pg_')) return thrown
  const { path, message, status } = thrown
  const hint = `Error when parsing command ${type.slice(3)}.
See our documentation at https://hasura.io/docs/latest/graphql/core/api-reference/metadata-api/index.html#metadata-apis.
Internal error message: ${message}`
  return new EngineError('parse-failed', hint, { path, status, cause: thrown })
}

/** Replaces `of` at the beginning of an error's path with `prefix`, the command's place in a list. */
export function withPathPrefix(prefix: string, thrown: unknown, of = '$'): unknown {
  if (!(thrown instanceof EngineError)) return thrown
  const { code, message, status, internal, path } = thrown
  const context = { path: path.replace(of, () => prefix), status, internal, cause: thrown }
  return new EngineError(code, message, context)
}

/** Creates the error for an object that a command names, and that does not exist. */
export function notExistsError(message: string): EngineError {
  return new EngineError('not-exists', message, { path: '$.args' })
}
