import type { EngineError } from '../errors.ts'
import { type Audience, toEngineError } from '../session/render-error.ts'
import type { Session } from '../session/session.ts'
import type { Endpoint, EndpointRequest, EngineServices, HttpReply } from './endpoint.ts'
import { parseJsonText } from './request-body.ts'

/** An authenticated request; `body` is its parsed JSON, or null where it may be missing. */
export type AuthenticatedRequest = {
  request: EndpointRequest
  session: Session
  body: unknown
  services: EngineServices
}

/** What an endpoint provides, so that `guarded` can do the rest. */
export type EndpointHandlers = {
  /** Reads the body; JSON when absent. */
  parseBody?(request: EndpointRequest, text: string): unknown
  answer(call: AuthenticatedRequest): Promise<HttpReply>
  /** How this endpoint words a failure. */
  renderFailure(error: EngineError, audience: Audience): HttpReply
}

/** Wraps an endpoint: only callers with a session reach it, and `refuse` renders every failure. */
export function authenticatedEndpoint({
  parseBody = parseJsonBody,
  answer,
  renderFailure,
}: EndpointHandlers): Endpoint {
  return async (request, services) => {
    const { config } = services.engine
    let session: Session | null = null
    try {
      const text = await request.body()
      const body = parseOrKeepFault(text, (given) => parseBody(request, given))
      const known = await services.authenticate({
        headers: request.client.headers,
        request: body.json,
      })
      session = known.session
      if (body.fault) throw body.fault
      const reply = await answer({ request, session, body: body.json, services })
      return { ...reply, cookies: [...known.cookies, ...reply.cookies] }
    } catch (thrown) {
      return renderFailure(logFailure(thrown, request, services), { session, config })
    }
  }
}

type ParsedBody = { json: unknown; fault: unknown }

function parseJsonBody({ method }: EndpointRequest, text: string): unknown {
  return text === '' && method !== 'POST' ? null : parseJsonText(text)
}

/** Parses a body, and keeps an error for later: authentication comes first, and its errors count more. */
function parseOrKeepFault(text: string, read: (text: string) => unknown): ParsedBody {
  try {
    return { json: read(text), fault: null }
  } catch (fault) {
    return { json: null, fault }
  }
}

function logFailure(
  thrown: unknown,
  { client, path }: EndpointRequest,
  { engine }: EngineServices,
): EngineError {
  const error = toEngineError(thrown)
  const { code, status, cause } = error
  const fields = { request_id: client.requestId, path, code, cause }
  if (status >= 500) engine.log.error(fields, 'request failed')
  else engine.log.debug(fields, 'request refused')
  return error
}
