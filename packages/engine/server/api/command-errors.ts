import { EngineError } from '../../errors.ts'
import { memberAt } from '../../json/record.ts'
import { UNSUPPORTED_COMMANDS } from './unsupported-commands.ts'

/**
 * The error for a type of command that Hasura does not have, or that the engine does not support.
 *
 * @param endpoint which of Hasura's parsers reads the type: that of `/v2/query` (`sql`), or that of the others
 */
export function unknownCommandError(type: string, endpoint: 'sql' | 'metadata'): EngineError {
  if (UNSUPPORTED_COMMANDS.has(type))
    return new EngineError('not-supported', `${type} is not supported`)
  if (endpoint === 'sql')
    return new EngineError('parse-failed', `Unrecognised RQLQuery type: ${type}`)
  const [backend = '', ...rest] = type.split('_')
  const why = `"${rest.join('_')}" for backend ${backend === 'pg' ? 'postgres' : backend}`
  return new EngineError('parse-failed', `unknown metadata command ${why}`)
}

/** Hasura's error for a command of another kind of database, which the source is not. */
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

/** The same error with the hint that Hasura adds when it cannot parse the arguments of a `pg_…` command. */
export function withCommandHint(type: string, thrown: unknown): unknown {
  if (!(thrown instanceof EngineError) || thrown.code !== 'parse-failed') return thrown
  if (!type.startsWith('pg_')) return thrown
  const { path, message, status } = thrown
  const hint = `Error when parsing command ${type.slice(3)}.
See our documentation at https://hasura.io/docs/latest/graphql/core/api-reference/metadata-api/index.html#metadata-apis.
Internal error message: ${message}`
  return new EngineError('parse-failed', hint, { path, status, cause: thrown })
}

/** The same error with a longer path: the command's place in a list replaces `of` at the path's beginning. */
export function withPathPrefix(prefix: string, thrown: unknown, of = '$'): unknown {
  if (!(thrown instanceof EngineError)) return thrown
  const { code, message, status, internal, path } = thrown
  const context = { path: path.replace(of, () => prefix), status, internal, cause: thrown }
  return new EngineError(code, message, context)
}

/** The error for something that a command's arguments name and that does not exist. */
export function notExistsError(message: string): EngineError {
  return new EngineError('not-exists', message, { path: '$.args' })
}
