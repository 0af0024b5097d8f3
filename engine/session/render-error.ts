import type { Config } from '../config.ts'
import { EngineError, HandlerError } from '../errors.ts'
import { ADMIN, type Session } from './session.ts'

/** Who receives the error; the session is null as long as it is not known who asks. */
export type Audience = { session: Session | null; config: Config }

/** The form of an error on `/v1/graphql` and in messages of a socket. */
export function renderGraphqlError(error: EngineError, audience: Audience): object {
  const { message, path, code } = error
  const extensions = error instanceof HandlerError ? error.extensions : { path, code }
  return { message, extensions: { ...extensions, ...internalDetails(error, audience) } }
}

/** The form of an error on the metadata API and REST endpoints. */
export function renderMetadataError(error: EngineError, audience: Audience): object {
  const { message, path, code } = error
  const extensions = error instanceof HandlerError ? error.extensions : { path, code }
  return { error: message, ...extensions, ...internalDetails(error, audience) }
}

/** Makes anything that was thrown an EngineError; the text of an unexpected error is not shown to callers. */
export function toEngineError(thrown: unknown): EngineError {
  if (thrown instanceof EngineError) return thrown
  // The request is nested so deeply that reading it has used up the stack; nothing was done yet.
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

/** Whether the receiver is shown an error's `internal` part. */
export function seesInternalErrors({ session, config }: Audience): boolean {
  return config.devMode || (config.adminInternalErrors && session?.role === ADMIN)
}
