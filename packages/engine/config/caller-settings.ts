import { boundSetting, fromVariable, textListSetting, timeLimitSetting } from './setting.ts'

/**
 * The settings that limit callers without the admin secret. Without these variables there are no limits, as in Hasura's
 * free edition.
 */
export const CALLER_SETTINGS = {
  callerVariables: fromVariable(
    'ENGINE_CALLER_VARIABLES',
    'Session variables that identify a caller, separated by commas; without them, all variables identify it',
    textListSetting().default([]),
  ),
  callerConnections: fromVariable(
    'ENGINE_CALLER_CONNECTIONS',
    "Connections of all callers together; at most half of the source's connections",
    boundSetting(10_000),
  ),
  callerStatementTimeoutMs: fromVariable(
    'ENGINE_CALLER_STATEMENT_TIMEOUT_MS',
    'Milliseconds of a statement; 0 for no limit',
    timeLimitSetting(),
  ),
  callerOperationTimeoutMs: fromVariable(
    'ENGINE_CALLER_OPERATION_TIMEOUT_MS',
    'Milliseconds of an operation with all its fields',
    boundSetting(),
  ),
  callerMaxAnswerBytes: fromVariable(
    'ENGINE_CALLER_MAX_ANSWER_BYTES',
    "Bytes of a response, and of a remote server's response",
    boundSetting(),
  ),
  callerMaxDocumentBytes: fromVariable(
    'ENGINE_CALLER_MAX_DOCUMENT_BYTES',
    'Bytes of a document',
    boundSetting(),
  ),
  callerMaxDocumentDepth: fromVariable(
    'ENGINE_CALLER_MAX_DOCUMENT_DEPTH',
    'How deep selections or values may be nested',
    boundSetting(10_000),
  ),
  callerMaxDocumentFields: fromVariable(
    'ENGINE_CALLER_MAX_DOCUMENT_FIELDS',
    'Fields of a document, including fields of fragments',
    boundSetting(10_000_000),
  ),
  callerMaxValues: fromVariable(
    'ENGINE_CALLER_MAX_VALUES',
    'Values in the document and the variables',
    boundSetting(10_000_000),
  ),
  callerMaxVariableBytes: fromVariable(
    'ENGINE_CALLER_MAX_VARIABLE_BYTES',
    'Bytes of the variables as JSON; a variable counts once for each use',
    boundSetting(),
  ),
  callerMaxSubqueries: fromVariable(
    'ENGINE_CALLER_MAX_SUBQUERIES',
    'Relations and aggregates in conditions and orders, updates in a list, rows with nested rows',
    boundSetting(10_000_000),
  ),
  callerMaxCost: fromVariable(
    'ENGINE_CALLER_MAX_COST',
    "The cost of a query in PostgreSQL's estimate",
    boundSetting(),
  ),
  callerWebsocketOperations: fromVariable(
    'ENGINE_CALLER_WEBSOCKET_OPERATIONS',
    "Operations at a time on a caller's WebSocket",
    boundSetting(1_000_000),
  ),
  callerWebsockets: fromVariable(
    'ENGINE_CALLER_WEBSOCKETS',
    'WebSockets of a caller at a time',
    boundSetting(1_000_000),
  ),
}
