import type { EngineError } from '../errors.ts'
import { type Audience, toEngineError } from '../session/render-error.ts'
import type { Session } from '../session/session.ts'
import type { Endpoint, Exchange, Reply, Services } from './endpoint.ts'
import { parseJson } from './request-body.ts'

/** An authenticated request; `body` is its parsed JSON, or null where it may be missing. */
export type Call = { exchange: Exchange; session: Session; body: unknown; services: Services }

/** What an endpoint provides, so that `guarded` can do the rest. */
export type Guarded = {
  /** Reads the body; JSON when absent. */
  read?(exchange: Exchange, text: string): unknown
  answer(call: Call): Promise<Reply>
  /** How this endpoint words a failure. */
  refuse(error: EngineError, audience: Audience): Reply
}

/** Wraps an endpoint: only callers with a session reach it, and `refuse` renders every failure. */
export function guarded({ read = asJson, answer, refuse }: Guarded): Endpoint {
  return async (exchange, services) => {
    const { config } = services.engine
    let session: Session | null = null
    try {
      const text = await exchange.body()
      const body = parsed(text, (given) => read(exchange, given))
      const known = await services.authenticate({
        headers: exchange.client.headers,
        request: body.json,
      })
      session = known.session
      if (body.fault) throw body.fault
      const reply = await answer({ exchange, session, body: body.json, services })
      return { ...reply, cookies: [...known.cookies, ...reply.cookies] }
    } catch (thrown) {
      return refuse(reported(thrown, exchange, services), { session, config })
    }
  }
}

type Parsed = { json: unknown; fault: unknown }

function asJson({ method }: Exchange, text: string): unknown {
  return text === '' && method !== 'POST' ? null : parseJson(text)
}

/** Parses a body, and keeps an error for later: authentication comes first, and its errors count more. */
function parsed(text: string, read: (text: string) => unknown): Parsed {
  try {
    return { json: read(text), fault: null }
  } catch (fault) {
    return { json: null, fault }
  }
}

function reported(thrown: unknown, { client, path }: Exchange, { engine }: Services): EngineError {
  const error = toEngineError(thrown)
  const { code, status, cause } = error
  const fields = { request_id: client.requestId, path, code, cause }
  if (status >= 500) engine.log.error(fields, 'request failed')
  else engine.log.debug(fields, 'request refused')
  return error
}
