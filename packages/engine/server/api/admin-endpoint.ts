import { EngineError } from '../../errors.ts'
import { type Audience, renderMetadataError } from '../../session/render-error.ts'
import { ADMIN, type Session } from '../../session/session.ts'
import { type AuthenticatedRequest, authenticatedEndpoint } from '../http/authenticated-endpoint.ts'
import { type Endpoint, errorReply, type HttpReply } from '../http/endpoint.ts'

const ADMIN_ONLY = 'restricted access : admin only'

/** Creates an endpoint that only admin may use. */
export function adminEndpoint(
  answer: (call: AuthenticatedRequest) => Promise<HttpReply>,
  refusal = ADMIN_ONLY,
): Endpoint {
  return authenticatedEndpoint({
    answer: async (call) => {
      requireAdmin(call.session, '$', refusal)
      return answer(call)
    },
    renderFailure: metadataErrorReply,
  })
}

/** @throws access-denied for every role except admin */
export function requireAdmin({ role }: Session, path = '$', refusal = ADMIN_ONLY): void {
  if (role === ADMIN) return
  throw new EngineError('access-denied', refusal, { status: 400, path })
}

/** Returns the reply for an error on an endpoint for admin, such as `/v1/metadata`. */
export function metadataErrorReply(error: EngineError, audience: Audience): HttpReply {
  return errorReply(error.status, JSON.stringify(renderMetadataError(error, audience)))
}
