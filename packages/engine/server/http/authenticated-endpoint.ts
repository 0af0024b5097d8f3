import type { EngineError } from '../../errors.ts'
import type { Audience } from '../../session/render-error.ts'
import type { Session } from '../../session/session.ts'
import type { Endpoint, EndpointRequest, EngineServices, HttpReply } from './endpoint.ts'
import { logFailure } from './log-failure.ts'
import { parseJsonText } from './request-body.ts'

/** A request with its session. `body` is the result of `parseBody`. */
export type AuthenticatedRequest = {
  request: EndpointRequest
  session: Session
  body: unknown
  services: EngineServices
}

/** The functions from which `authenticatedEndpoint` creates an endpoint. */
export type EndpointHandlers = {
  /** Parses the body; default: as JSON. */
  parseBody?(request: EndpointRequest, text: string): unknown
  /** True if the endpoint answers GraphQL operations; default: false. */
  isGraphql?: boolean
  answer(authenticated: AuthenticatedRequest): Promise<HttpReply>
  /** Creates the endpoint's reply for an error. */
  renderFailure(error: EngineError, audience: Audience): HttpReply
}

/** Creates an endpoint that parses the body, authenticates the caller, answers, and renders every error. */
export function authenticatedEndpoint({
  parseBody = parseJsonBody,
  isGraphql = false,
  answer,
  renderFailure,
}: EndpointHandlers): Endpoint {
  return async (request, services) => {
    const { config } = services.engine
    let session: Session | null = null
    let json: unknown
    try {
      const text = await request.body()
      const body = parseOrKeepFault(text, (bodyText) => parseBody(request, bodyText))
      json = body.json
      const authenticated = await services.authenticate({
        headers: request.client.headers,
        request: body.json,
      })
      session = authenticated.session
      if (body.fault) throw body.fault
      const reply = await answer({ request, session, body: body.json, services })
      const operation = { session, body: json, isGraphql, error: null }
      return { ...reply, cookies: [...authenticated.cookies, ...reply.cookies], operation }
    } catch (thrown) {
      const { requestId } = request.client
      const error = logFailure(thrown, { requestId, path: request.path }, services.engine.log)
      const reply = renderFailure(error, { session, config })
      return { ...reply, operation: { session, body: json, isGraphql, error } }
    }
  }
}

type ParsedBody = { json: unknown; fault: unknown }

function parseJsonBody({ method }: EndpointRequest, text: string): unknown {
  return text === '' && method !== 'POST' ? null : parseJsonText(text)
}

/** Parses a body. Returns an error instead of throwing it, because a failed authentication is reported first. */
function parseOrKeepFault(text: string, parse: (text: string) => unknown): ParsedBody {
  try {
    return { json: parse(text), fault: null }
  } catch (fault) {
    return { json: null, fault }
  }
}
