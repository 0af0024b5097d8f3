import type { Config } from '../config/config.ts'
import { EngineError, HandlerError } from '../errors.ts'
import { ADMIN, type Session } from './session.ts'

/** Who gets the error; the session is null if authentication failed or has not finished. */
export type Audience = { session: Session | null; config: Config }

/** The form of an error on `/v1/graphql` and in messages of a WebSocket. */
export function renderGraphqlError(error: EngineError, audience: Audience): object {
  const { message, path, code } = error
  if (error instanceof HandlerError) return { message, extensions: error.extensions }
  return { message, extensions: { path, code, ...internalDetails(error, audience) } }
}

/** The form of an error on the metadata API and REST endpoints. */
export function renderMetadataError(error: EngineError, audience: Audience): object {
  const { message, path } = error
  const code = error instanceof HandlerError ? error.handlerCode : error.code
  return { error: message, path, code, ...internalDetails(error, audience) }
}

/** Converts anything that was thrown to an EngineError, which hides the message of an unexpected error. */
export function toEngineError(thrown: unknown): EngineError {
  if (thrown instanceof EngineError) return thrown
  // Reading a deeply nested request has exhausted the stack; nothing was executed yet.
  if (thrown instanceof RangeError && /call stack/.test(thrown.message))
    return new EngineError('validation-failed', 'the request is nested too deeply', {
      cause: thrown,
    })
  return new EngineError('unexpected', 'internal error', { cause: thrown })
}

function internalDetails(error: EngineError, audience: Audience): object {
  const shown = error.internal !== undefined && seesInternalErrors(audience)
  return shown ? { internal: error.internal } : {}
}

/** Whether the audience is shown the `internal` part of an error. */
function seesInternalErrors({ session, config }: Audience): boolean {
  return config.devMode || (config.adminInternalErrors && session?.role === ADMIN)
}
