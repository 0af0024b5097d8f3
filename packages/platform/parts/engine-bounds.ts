import { CALLER_BOUNDS } from '../../../lib/runtime/graphql/document-size.ts'

/**
 * The limits of the embedded engine, as environment variables. By default, the engine has hardly any limits. The developer API
 * applies the limits of CALLER_BOUNDS, too. docker-compose.engine.yml sets the same variables, and
 * packages/engine/docs/limits.md lists them.
 */
export const ENGINE_BOUNDS: Readonly<Record<string, string>> = {
  ENGINE_CALLER_CONNECTIONS: '10',
  ENGINE_CALLER_STATEMENT_TIMEOUT_MS: '2000',
  ENGINE_CALLER_OPERATION_TIMEOUT_MS: '10000',
  ENGINE_CALLER_MAX_ANSWER_BYTES: '10000000',
  ENGINE_CALLER_MAX_DOCUMENT_BYTES: String(CALLER_BOUNDS.maxBytes),
  ENGINE_CALLER_MAX_DOCUMENT_DEPTH: String(CALLER_BOUNDS.maxDepth),
  ENGINE_CALLER_MAX_DOCUMENT_FIELDS: String(CALLER_BOUNDS.maxFields),
  ENGINE_CALLER_MAX_VALUES: String(CALLER_BOUNDS.maxValues),
  ENGINE_CALLER_MAX_VARIABLE_BYTES: String(CALLER_BOUNDS.maxVariableBytes),
  ENGINE_CALLER_MAX_SUBQUERIES: String(CALLER_BOUNDS.maxSubqueries),
  ENGINE_CALLER_MAX_COST: '1000000',
  ENGINE_CALLER_WEBSOCKETS: '50',
  ENGINE_CALLER_WEBSOCKET_OPERATIONS: '20',
  ENGINE_MAX_BODY_BYTES: '10485760',
  ENGINE_MAX_DOCUMENT_DEPTH: '60',
  ENGINE_MAX_DOCUMENT_FIELDS: '20000',
  ENGINE_STATEMENT_TIMEOUT_MS: '60000',
  ENGINE_WEBSOCKET_OPERATIONS: '1000',
  HASURA_GRAPHQL_MAX_TOTAL_HEADER_LENGTH: '16384',
}
