import { randomUUID } from 'node:crypto'
import type { EngineError } from '../../errors.ts'
import { memberAt } from '../../json/record.ts'
import {
  loggableError,
  loggableRequest,
  loggableVariables,
  showsContents,
} from '../../log/loggable-request.ts'
import { cutText, openTypedLog } from '../../log/typed-log.ts'
import type { Engine } from '../../runtime/engine.ts'
import type { Session } from '../../session/session.ts'

/** The lines of the type `websocket-log` of one socket. */
export type SocketLog = {
  write(event: SocketEvent, session: Session | null): void
}

/** An event of a socket, with Hasura's names: the connection was rejected, or `connection_init` failed (`conn_err`). */
export type SocketEvent =
  | { type: 'accepted' | 'closed' }
  | { type: 'rejected' | 'conn_err'; error: EngineError }
  | ({ type: 'operation' } & OperationEvent)

type OperationEvent = {
  /** The client's id of the operation. */
  id: string
  requestId: string | null
  state: 'started' | 'completed' | 'stopped' | 'query_err'
  /** The client's message that started the operation; null for `stopped`. */
  payload: unknown
  /** The error of `query_err`. */
  error?: EngineError
}

/** Opens the log of a socket. Its lines have the fields of Hasura's lines. */
export function openSocketLog({ config, log }: Pick<Engine, 'config' | 'log'>): SocketLog {
  const lines = openTypedLog(log, 'websocket-log', config)
  const websocketId = randomUUID()
  return {
    write(event, session) {
      const level = 'error' in event ? 'error' : 'info'
      if (!lines.writes(level)) return
      lines.write(level, {
        event: describeEvent(event, config),
        connection_info: {
          websocket_id: websocketId,
          token_expiry: session?.expiresAt?.toISOString() ?? null,
          msg: null,
        },
        user_vars: session && loggableVariables(session.variables),
      })
    },
  }
}

function describeEvent(event: SocketEvent, config: Engine['config']): object {
  if (event.type === 'operation')
    return { type: event.type, detail: describeOperation(event, config) }
  if (!('error' in event)) return { type: event.type }
  const isConnection = event.type === 'conn_err'
  return {
    type: event.type,
    detail: isConnection ? event.error.code : loggableError(event.error, config),
  }
}

function describeOperation(
  { id, requestId, state, payload, error }: OperationEvent,
  config: Engine['config'],
): object {
  const name = memberAt(payload, 'operationName')
  return {
    operation_id: cutText(id),
    request_id: requestId,
    operation_name: typeof name === 'string' ? cutText(name) : null,
    operation_type: { type: state, ...(error && { detail: loggableError(error, config) }) },
    query: showsContents(config) ? loggableRequest(payload) : null,
    parameterized_query_hash: null,
  }
}
