import type { RemoteSchema } from '../../compiler/model/model.ts'
import { EngineError } from '../../errors.ts'
import { isList, isRecord } from '../../json/record.ts'
import { parseScientificJson } from '../../json/scientific.ts'
import type { Environment } from '../../outgoing/environment.ts'
import type { OutgoingReply } from '../../outgoing/send-request.ts'
import {
  addressOf,
  type RemoteCaller,
  type RemoteRequest,
  sendToRemoteSchema,
} from './ask-remote-schema.ts'
import { httpFailure } from './introspections.ts'

/** The response of a remote server: its data and errors. */
export type RemoteReply = { data: unknown; errors: readonly unknown[] }

/** The caller of requests to remote servers, and the variables for their addresses and headers. */
export type Exchange = { caller: RemoteCaller; environment: Environment }

/**
 * Sends a request to a remote schema's server.
 *
 * @throws remote-schema-error if there is no response, or the response is not GraphQL; timeout if the operation takes too long,
 * or its client disconnects
 */
export async function fetchFromRemote(
  { definition }: Pick<RemoteSchema, 'definition'>,
  request: RemoteRequest,
  { caller, environment }: Exchange,
): Promise<RemoteReply> {
  const pending = sendToRemoteSchema(definition, request, caller, environment)
  const reply = await pending.catch((cause: unknown) => {
    if (cause instanceof EngineError) throw cause
    if (caller.signal?.aborted)
      throw new EngineError('timeout', 'the operation took too long', { cause })
    const internal = {
      type: 'http_exception',
      message: cause instanceof Error ? cause.message : '',
    }
    throw new EngineError('remote-schema-error', httpFailure(addressOf(definition, environment)), {
      internal,
      cause,
    })
  })
  return readReply(reply)
}

function readReply({ text }: OutgoingReply): RemoteReply {
  const body = parseReply(text)
  if (!isRecord(body)) throw malformed('the response of the remote schema is not an object')
  const errors = ownErrors(body.errors)
  if (errors.length === 0 && !Object.hasOwn(body, 'data'))
    throw malformed('the response of the remote schema has neither data nor errors')
  return { data: body.data ?? null, errors }
}

function parseReply(text: string): unknown {
  try {
    return parseScientificJson(text)
  } catch (cause) {
    throw malformed('Failed reading: not a valid json value', cause)
  }
}

function ownErrors(errors: unknown): readonly unknown[] {
  if (errors === undefined || errors === null) return []
  return isList(errors) ? errors : [errors]
}

function malformed(message: string, cause?: unknown): EngineError {
  return new EngineError('remote-schema-error', message, { cause })
}
