import { z } from 'zod'
import { boundSetting, fromVariable, listSetting, timeLimitSetting } from './setting.ts'

/**
 * The settings that limit callers without the admin secret. Without these variables there are no limits, as in Hasura's
 * free edition. `callerVariables` are the session variables that identify a caller.
 */
export const CALLER_SETTINGS = {
  callerVariables: fromVariable('ENGINE_CALLER_VARIABLES', listSetting(z.string()).default([])),
  callerConnections: fromVariable('ENGINE_CALLER_CONNECTIONS', boundSetting(10_000)),
  callerStatementTimeoutMs: fromVariable('ENGINE_CALLER_STATEMENT_TIMEOUT_MS', timeLimitSetting()),
  callerOperationTimeoutMs: fromVariable('ENGINE_CALLER_OPERATION_TIMEOUT_MS', boundSetting()),
  callerMaxAnswerBytes: fromVariable('ENGINE_CALLER_MAX_ANSWER_BYTES', boundSetting()),
  callerMaxDocumentBytes: fromVariable('ENGINE_CALLER_MAX_DOCUMENT_BYTES', boundSetting()),
  callerMaxDocumentDepth: fromVariable('ENGINE_CALLER_MAX_DOCUMENT_DEPTH', boundSetting(10_000)),
  callerMaxDocumentFields: fromVariable(
    'ENGINE_CALLER_MAX_DOCUMENT_FIELDS',
    boundSetting(10_000_000),
  ),
  callerMaxValues: fromVariable('ENGINE_CALLER_MAX_VALUES', boundSetting(10_000_000)),
  callerMaxVariableBytes: fromVariable('ENGINE_CALLER_MAX_VARIABLE_BYTES', boundSetting()),
  callerMaxSubqueries: fromVariable('ENGINE_CALLER_MAX_SUBQUERIES', boundSetting(10_000_000)),
  callerMaxCost: fromVariable('ENGINE_CALLER_MAX_COST', boundSetting()),
  callerWebsocketOperations: fromVariable(
    'ENGINE_CALLER_WEBSOCKET_OPERATIONS',
    boundSetting(1_000_000),
  ),
  callerWebsockets: fromVariable('ENGINE_CALLER_WEBSOCKETS', boundSetting(1_000_000)),
}
