import { setTimeout as sleep } from 'node:timers/promises'
import type { EngineError, ErrorCode } from '../errors.ts'
import { graphqlRequest } from '../http/read-graphql-request.ts'
import type { Client } from '../request/client.ts'
import type { GraphQLRequest } from '../request/graphql-request.ts'
import { run } from '../run/run.ts'
import { graphqlError, toEngineError } from '../session/render-error.ts'
import type { Session } from '../session/session.ts'
import { type Connection, sendErrors, sendText } from './connection.ts'
import type { Listener } from './live-queries.ts'
import { type ActionSubscription, subscription } from './plan-subscription.ts'

type Operation = {
  id: string
  payload: unknown
  session: Session
  client: Client
  /** Aborted when the client ends the operation, or has gone. */
  signal: AbortSignal
}

/** Runs one operation of a socket: one answer, or those of a subscription until the client ends it. */
export async function operate(connection: Connection, operation: Operation): Promise<void> {
  const { id, session } = operation
  try {
    const request = graphqlRequest(operation.payload)
    const live = subscription(connection.services.engine, request, session)
    if (!live) await once(connection, operation, request)
    else if (live.to === 'action') await watch(connection, operation, live)
    else await connection.live.follow(live, listener(connection, operation))
  } catch (thrown) {
    sendErrors(connection, id, thrown)
  }
}

/** Sends every result of a subscription to the socket. */
function listener(connection: Connection, { id, session, signal }: Operation): Listener {
  return {
    signal,
    next: (body) => next(connection, id, body),
    failed: (reason) => next(connection, id, failure(connection, session, reason)),
  }
}

/** The answer `{ data: null, errors }` for an error. */
function failure({ services }: Connection, session: Session, error: EngineError): string {
  const shown = graphqlError(error, { session, config: services.engine.config })
  return JSON.stringify({ data: null, errors: [shown] })
}

/** Polls for the result of an asynchronous action until the client ends the operation. */
async function watch(
  connection: Connection,
  { id, client, signal }: Operation,
  { ask }: ActionSubscription,
) {
  const { liveQueriesRefetchMs } = connection.services.engine.config
  let last: string | null = null
  while (!signal.aborted) {
    const body = await ask(client)
    if (body !== last && !signal.aborted) next(connection, id, body)
    last = body
    await sleep(liveQueriesRefetchMs, null, { signal }).catch(() => {})
  }
}

/** A query or mutation: its answer, then `complete`. */
async function once(connection: Connection, operation: Operation, request: GraphQLRequest) {
  const { id, session, client } = operation
  const { services } = connection
  const answer = await run(services.engine, request, session, client).catch((thrown: unknown) => {
    const error = toEngineError(thrown)
    if (!WHILE_RUNNING.has(error.code)) throw error
    return { body: failure(connection, session, error) }
  })
  next(connection, id, answer.body)
  sendText(connection, JSON.stringify({ type: 'complete', id }))
}

/** Sends a result, whose text stays as it came from the database. */
function next(connection: Connection, id: string, body: string) {
  const { data } = connection.protocol
  sendText(connection, `{"type":"${data}","id":${JSON.stringify(id)},"payload":${body}}`)
}

/**
 * Errors of the database or a handler.
 * They are sent as an answer, errors of the document as an `error` message.
 */
const WHILE_RUNNING: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'concurrent-update',
  'constraint-error',
  'constraint-violation',
  'data-exception',
  'permission-error',
  'postgres-error',
  'postgres-max-connections-error',
  'timeout',
  'unexpected',
])
