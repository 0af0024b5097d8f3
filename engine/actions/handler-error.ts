import { z } from 'zod'
import { EngineError, HandlerError } from '../errors.ts'
import type { HandlerExchange } from './handler-call.ts'

const HandlerErrorBody = z.object({
  message: z.string(),
  code: z.string().nullish(),
  extensions: z.record(z.string(), z.unknown()).nullish(),
})

/**
 * The error for a handler's answer with a status other than 2xx:
 * its own error, or that the handler is broken.
 */
export function handlerError(
  status: number,
  value: unknown,
  exchange: HandlerExchange,
): EngineError {
  if (status < 400 || status >= 500) {
    return new EngineError('unexpected', 'internal error', {
      internal: { error: 'unexpected response', ...exchange },
    })
  }
  const { data, error } = HandlerErrorBody.safeParse(value)
  if (error) {
    const path = `$${(error.issues[0]?.path ?? []).map((key) => `.${String(key)}`).join('')}`
    return new EngineError('parse-failed', 'the error object of the webhook has another shape', {
      path,
      internal: { error: 'unexpected response', ...exchange },
    })
  }
  const extensions = data.extensions ?? { path: '$', code: data.code ?? 'unexpected' }
  return new HandlerError(data.message, extensions)
}
