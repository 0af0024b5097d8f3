import type { Config } from './config.ts'
import { EngineError, HandlerError } from './errors.ts'
import { ADMIN, type Session } from './session/session.ts'

/** Whoever gets the error; null when nobody knows yet. */
export type Audience = { session: Session | null; config: Config }

/** How a failure reads on `/v1/graphql` and in the messages of a socket. */
export function graphqlError(error: EngineError, audience: Audience): object {
  const { message, path, code } = error
  const extensions = error instanceof HandlerError ? error.extensions : { path, code }
  return { message, extensions: { ...extensions, ...internal(error, audience) } }
}

/** How a failure reads on the metadata API and REST endpoints. */
export function metadataError(error: EngineError, audience: Audience): object {
  const { message, path, code } = error
  const extensions = error instanceof HandlerError ? error.extensions : { path, code }
  return { error: message, ...extensions, ...internal(error, audience) }
}

/** Anything thrown as an EngineError; what nobody foresaw says nothing outside. */
export function toEngineError(thrown: unknown): EngineError {
  if (thrown instanceof EngineError) return thrown
  // What nests so deep that reading it takes up the whole stack; nothing was done yet.
  if (thrown instanceof RangeError && /call stack/.test(thrown.message))
    return new EngineError('validation-failed', 'the request is nested too deeply', {
      cause: thrown,
    })
  return new EngineError('unexpected', 'internal error', { cause: thrown })
}

function internal(error: EngineError, audience: Audience): object {
  const shown = error.internal !== undefined && seesInternal(audience)
  return shown ? { internal: error.internal } : {}
}

/** Whether someone is told what lies behind a failure. */
export function seesInternal({ session, config }: Audience): boolean {
  return config.devMode || (config.adminInternalErrors && session?.role === ADMIN)
}
