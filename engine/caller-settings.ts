import { z } from 'zod'
import { CALLER_BOUNDS } from '../lib/graphql/document-size.ts'
import { countSetting, fromVariable, listSetting } from './setting.ts'

/** The settings that bound those who do not have the admin secret; Hasura's free edition has none of them. */
export const CALLER_SETTINGS = {
  callerVariables: fromVariable('ENGINE_CALLER_VARIABLES', listSetting(z.string()).default([])),
  callerConnections: fromVariable('ENGINE_CALLER_CONNECTIONS', countSetting(10_000).default(10)),
  callerStatementTimeoutMs: fromVariable(
    'ENGINE_CALLER_STATEMENT_TIMEOUT_MS',
    countSetting(2 ** 31 - 1).default(2_000),
  ),
  callerOperationTimeoutMs: fromVariable(
    'ENGINE_CALLER_OPERATION_TIMEOUT_MS',
    countSetting(2 ** 31 - 1).default(10_000),
  ),
  callerMaxAnswerBytes: fromVariable(
    'ENGINE_CALLER_MAX_ANSWER_BYTES',
    countSetting(2 ** 31 - 1).default(10_000_000),
  ),
  callerMaxDocumentBytes: fromVariable(
    'ENGINE_CALLER_MAX_DOCUMENT_BYTES',
    countSetting(2 ** 31 - 1).default(CALLER_BOUNDS.maxBytes),
  ),
  callerMaxDocumentDepth: fromVariable(
    'ENGINE_CALLER_MAX_DOCUMENT_DEPTH',
    countSetting(10_000).default(CALLER_BOUNDS.maxDepth),
  ),
  callerMaxDocumentFields: fromVariable(
    'ENGINE_CALLER_MAX_DOCUMENT_FIELDS',
    countSetting(10_000_000).default(CALLER_BOUNDS.maxFields),
  ),
  callerMaxValues: fromVariable(
    'ENGINE_CALLER_MAX_VALUES',
    countSetting(10_000_000).default(CALLER_BOUNDS.maxValues),
  ),
  callerMaxCost: fromVariable(
    'ENGINE_CALLER_MAX_COST',
    countSetting(2 ** 31 - 1).default(1_000_000),
  ),
  callerWebsocketOperations: fromVariable(
    'ENGINE_CALLER_WEBSOCKET_OPERATIONS',
    countSetting(1_000_000).default(20),
  ),
  callerWebsockets: fromVariable('ENGINE_CALLER_WEBSOCKETS', countSetting(1_000_000).default(50)),
}
