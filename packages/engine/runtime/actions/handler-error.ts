import { z } from 'zod'
import { requireValue } from '../../../../lib/runtime/require-value.ts'
import { EngineError, HandlerError } from '../../errors.ts'
import { aesonKind, wrongKindMessage } from '../../json/aeson-wording.ts'
import { isRecord } from '../../json/record.ts'
import type { HandlerExchange } from './handler-call.ts'

const HandlerErrorBody = z.object({
  message: z.string(),
  code: z.string().nullish(),
  extensions: z.unknown().optional(),
})

/**
 * Returns the error for a handler's response with a status other than 2xx. For 4xx this is the handler's error, or
 * `parse-failed` if that has the wrong shape; else `unexpected`.
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
    const [key] = requireValue(error.issues[0], 'an issue of zod').path
    return new EngineError('parse-failed', shapeFault(value, key), {
      path:
        isRecord(value) && key !== undefined && Object.hasOwn(value, key)
          ? `$.${String(key)}`
          : '$',
      internal: { error: 'unexpected response', ...exchange },
    })
  }
  const code = data.code ?? 'unexpected'
  return new HandlerError(data.message, code, data.extensions ?? { path: '$', code })
}

/** Describes the wrong shape of an error object in Hasura's words, without the names of Hasura's internal types. */
function shapeFault(value: unknown, key: PropertyKey | undefined): string {
  if (!isRecord(value) || key === undefined)
    return `expected Object, but encountered ${aesonKind(value)}`
  return Object.hasOwn(value, key)
    ? wrongKindMessage('Text', 'String', value[String(key)])
    : `key "${String(key)}" not found`
}
