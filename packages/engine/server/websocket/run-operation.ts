import { setTimeout as sleep } from 'node:timers/promises'
import type { EngineError } from '../../errors.ts'
import { callerOf } from '../../runtime/callers/caller.ts'
import type { GraphQLRequest } from '../../runtime/graphql-request.ts'
import { prepareOperation } from '../../runtime/run/prepare.ts'
import { logQuery } from '../../runtime/run/query-log.ts'
import { answerPrepared } from '../../runtime/run/run.ts'
import type { Client } from '../../session/client.ts'
import { renderGraphqlError } from '../../session/render-error.ts'
import type { Session } from '../../session/session.ts'
import { logFailure } from '../http/log-failure.ts'
import { readGraphqlRequest } from '../http/read-graphql-request.ts'
import type { ResultListener } from './cohort.ts'
import { type SocketConnection, sendMessage, sendOperationError, sendText } from './connection.ts'
import {
  type ActionSubscription,
  planSubscription,
  type SubscriptionPlan,
} from './plan-subscription.ts'

type SocketOperation = {
  id: string
  payload: unknown
  session: Session
  /** The client. Its signal is aborted when the client stops the operation or disconnects. */
  client: Client
}

/** Runs an operation of a WebSocket. Sends its result, or the results of a subscription until the client stops the subscription. */
export async function runOperation(
  connection: SocketConnection,
  operation: SocketOperation,
): Promise<void> {
  const { id } = operation
  logState(connection, operation, 'started')
  try {
    const request = readGraphqlRequest(operation.payload, connection.api)
    const subscription = await beginOperation(connection, operation, request)
    if (subscription?.kind === 'action') await pollActionResult(connection, operation, subscription)
    else if (subscription)
      await connection.live.subscribe(subscription, resultListener(connection, operation))
  } catch (thrown) {
    const error = logOperationFailure(connection, operation, thrown)
    logState(connection, operation, 'query_err', error)
    sendOperationError(connection, id, error)
  }
}

/** Writes a line of the type `websocket-log`. */
function logState(
  { log, session }: SocketConnection,
  { id, client, payload }: SocketOperation,
  state: 'started' | 'completed' | 'query_err',
  error?: EngineError,
) {
  const { requestId } = client
  const details = { id, requestId, state, payload, ...(error && { error }) }
  log.write({ type: 'operation', ...details }, session)
}

/**
 * Waits for admission, then answers a query or mutation, or plans a subscription. Returns the planned subscription, so that it runs
 * after this admission has ended.
 */
async function beginOperation(
  connection: SocketConnection,
  operation: SocketOperation,
  request: GraphQLRequest,
): Promise<SubscriptionPlan | null> {
  const { engine } = connection.services
  const { session, client } = operation
  const leave = await engine.admission.enter(session, client.signal)
  try {
    const prepared = await prepareOperation(engine, request, { session, client })
    logQuery(engine.queryLog, request, { prepared, session, client })
    if (prepared.plan.kind === 'subscription')
      return await planSubscription(engine, request, prepared, session)
    const caller = { query: request.query, session, client }
    const { body } = await answerPrepared(engine, prepared, caller)
    sendResult(connection, operation.id, body)
    sendMessage(connection, { type: 'complete', id: operation.id })
    logState(connection, operation, 'completed')
    return null
  } finally {
    leave()
  }
}

/** Creates a listener that sends every result of a subscription to the client. */
function resultListener(connection: SocketConnection, operation: SocketOperation): ResultListener {
  const { id, session, client } = operation
  let isFailing = false
  return {
    caller: callerOf(session, connection.services.engine.config),
    signal: client.signal,
    next(body) {
      isFailing = false
      sendResult(connection, id, body)
    },
    onFailure(reason) {
      // Logs only the first failure of a series.
      if (!isFailing) logOperationFailure(connection, operation, reason)
      isFailing = true
      sendResult(connection, id, errorResult(connection, session, reason))
    },
  }
}

function logOperationFailure(
  { api, services }: SocketConnection,
  { client }: SocketOperation,
  thrown: unknown,
): EngineError {
  const place = { requestId: client.requestId, path: `websocket of ${api}` }
  return logFailure(thrown, place, services.engine.log)
}

/** Returns the result `{ data: null, errors }` for an error. */
function errorResult({ services }: SocketConnection, session: Session, error: EngineError): string {
  const rendered = renderGraphqlError(error, { session, config: services.engine.config })
  return JSON.stringify({ data: null, errors: [rendered] })
}

/** Polls the result of an asynchronous action, and sends it whenever it has changed, until the client stops the operation. */
async function pollActionResult(
  connection: SocketConnection,
  { id, client }: SocketOperation,
  { readResult }: ActionSubscription,
) {
  const { signal } = client
  const { liveQueriesRefetchMs } = connection.services.engine.config
  let last: string | null = null
  while (!signal.aborted) {
    const body = await readResult(client)
    if (body !== last && !signal.aborted) sendResult(connection, id, body)
    last = body
    await sleep(liveQueriesRefetchMs, null, { signal }).catch(() => {})
  }
}

/** Sends a result. `body` is JSON text, and is sent unchanged. */
function sendResult(connection: SocketConnection, id: string, body: string) {
  const { resultType } = connection.protocol
  sendText(connection, `{"type":"${resultType}","id":${JSON.stringify(id)},"payload":${body}}`)
}
