/** The types of lines in Hasura's log that HASURA_GRAPHQL_ENABLED_LOG_TYPES can name, in Hasura's order. */
export const LOG_TYPES = [
  'startup',
  'http-log',
  'webhook-log',
  'websocket-log',
  'query-log',
  'execution-log',
  'livequery-poller-log',
  'action-handler-log',
  'data-connector-log',
  'jwk-refresh-log',
  'validate-insert-input-log',
] as const

/** The types that this engine writes. Hasura's other types are accepted, and have no lines. */
export type WrittenLogType = Extract<
  (typeof LOG_TYPES)[number],
  'startup' | 'http-log' | 'webhook-log' | 'websocket-log' | 'query-log'
>
