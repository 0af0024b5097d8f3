import type { Config } from '../config/config.ts'
import type { EngineError } from '../errors.ts'
import { isRecord } from '../json/record.ts'
import { cutText } from './typed-log.ts'

/** The longest text of a document, and the longest JSON of variables, in a line. */
const MAX_CONTENT = 10_000

/** Returns whether the operator has enabled the contents of requests: documents, variables and messages of errors. */
export function showsContents({ enabledLogTypes }: Pick<Config, 'enabledLogTypes'>): boolean {
  return enabledLogTypes.includes('query-log')
}

/** Returns the parts of a GraphQL request that Hasura logs. Long parts are cut or left out. */
export function loggableRequest(request: unknown): object | null {
  if (!isRecord(request)) return null
  const { query, variables, operationName } = request
  return {
    operationName: typeof operationName === 'string' ? cutText(operationName) : null,
    query: typeof query === 'string' ? cutText(query, MAX_CONTENT) : null,
    variables: shortOrNull(variables ?? null),
  }
}

/** Returns a value, or null if its JSON is too long for a line. */
export function shortOrNull(value: unknown): unknown {
  return JSON.stringify(value).length > MAX_CONTENT ? null : value
}

/**
 * Describes an error as Hasura's logs do. The message quotes the client's values, so it is only logged if the operator
 * has enabled the contents of requests. PostgreSQL's message may quote other rows, and is never logged.
 */
export function loggableError(error: EngineError, config: Config): object {
  const { path, code, message, cause } = error
  const isShown = showsContents(config) && cause === undefined
  return { path: cutText(path), code, ...(isShown && { error: cutText(message) }) }
}

/** Returns the session variables for a line; null if they are too long. */
export function loggableVariables(variables: ReadonlyMap<string, string>): object | null {
  let length = 0
  for (const [name, value] of variables) length += name.length + value.length
  return length > MAX_VARIABLES ? null : Object.fromEntries(variables)
}

const MAX_VARIABLES = 2_000
