import type { Config } from '../config/config.ts'
import { EngineError, HandlerError } from '../errors.ts'
import { ADMIN, type Session } from './session.ts'

/** The recipient of an error; the session is null if authentication failed or has not finished. */
export type Audience = { session: Session | null; config: Config }

/** Renders an error for `/v1/graphql` and for messages on a WebSocket. */
export function renderGraphqlError(error: EngineError, audience: Audience): object {
  const { message, path, code } = error
  if (error instanceof HandlerError) return { message, extensions: error.extensions }
  return { message, extensions: { path, code, ...internalDetails(error, audience) } }
}

/** Renders an error for the metadata API and REST endpoints, and for the stored result of an asynchronous action. */
export function renderMetadataError(error: EngineError, audience: Audience): object {
  const { message, path } = error
  const code = error instanceof HandlerError ? error.handlerCode : error.code
  return { error: message, path, code, ...internalDetails(error, audience) }
}

/** Converts any thrown value to an EngineError. Clients do not get the message of an unexpected error. */
export function toEngineError(error: unknown): EngineError {
  if (error instanceof EngineError) return error
  // The request is nested so deeply that reading it has exhausted the call stack. No part of it has been executed.
  if (error instanceof RangeError && /call stack/.test(error.message))
    return new EngineError('validation-failed', 'the request is nested too deeply', {
      cause: error,
    })
  return new EngineError('unexpected', 'internal error', { cause: error })
}

function internalDetails(error: EngineError, audience: Audience): object {
  const isVisible = error.internal !== undefined && seesInternalErrors(audience)
  return isVisible ? { internal: error.internal } : {}
}

/** Reports whether the audience may see the `internal` part of an error. */
function seesInternalErrors({ session, config }: Audience): boolean {
  return config.devMode || (config.adminInternalErrors && session?.role === ADMIN)
}
