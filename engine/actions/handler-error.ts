import { z } from 'zod'
import { present } from '../../lib/present.ts'
import { EngineError, HandlerError } from '../errors.ts'
import type { HandlerExchange } from './handler-call.ts'

const HandlerErrorBody = z.object({
  message: z.string(),
  code: z.string().nullish(),
  extensions: z.record(z.string(), z.unknown()).nullish(),
})

/** The error for a handler's answer with a status other than 2xx: with 4xx the handler's own, else `unexpected`. */
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
    const issue = present(error.issues[0], 'an issue of zod')
    const path = `$${issue.path.map((key) => `.${String(key)}`).join('')}`
    return new EngineError('parse-failed', 'the error object of the webhook has another shape', {
      path,
      internal: { error: 'unexpected response', ...exchange },
    })
  }
  const extensions = data.extensions ?? { path: '$', code: data.code ?? 'unexpected' }
  return new HandlerError(data.message, extensions)
}
