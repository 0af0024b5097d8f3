import type { IncomingHttpHeaders } from 'node:http'
import type { Engine } from './engine.ts'
import type { GraphQLRequest } from './request.ts'
import type { Session } from './session/session.ts'

/** `body` is the JSON text `{"data":…}`; `cookies` are `Set-Cookie` lines that action handlers sent. */
export type Answer = { body: string; cookies: readonly string[] }

/** What the transport knows of the caller beside the session; actions forward some of it. */
export type Caller = {
  headers: IncomingHttpHeaders
  requestId: string
  /** Aborted when the client went away: the running statement is cancelled. */
  signal: AbortSignal | null
}

/**
 * Answers one GraphQL operation.
 *
 * @throws EngineError for everything that makes the answer `{"errors":[…]}`
 */
export async function run(
  _engine: Engine,
  _request: GraphQLRequest,
  _session: Session,
  _caller: Caller,
): Promise<Answer> {
  throw new Error('not yet')
}
