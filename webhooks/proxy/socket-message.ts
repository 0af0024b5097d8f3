import { z } from 'zod'
import { parseExactJson } from '../../lib/exact-json.ts'

/** A client's message, safe to pass on; `isInit` says whether it is `connection_init`. */
export type SocketMessage = { text: string; isInit: boolean }

/**
 * Parses a client's message of GraphQL over WebSocket and writes it anew, so that Hasura reads exactly what
 * was checked here, even where two parsers disagree (about a key that occurs twice).
 *
 * `connection_init` carries headers that Hasura trusts like those of a request: all but `Authorization` are
 * dropped, the admin secret and `x-hasura-*` among them.
 *
 * @param authorization of the upgrade; the message's own wins
 * @returns null for anything that is not a message, or is nested too deeply
 */
export function sanitiseMessage(
  text: string,
  authorization: string | undefined,
): SocketMessage | null {
  const message = Message.safeParse(parseMessage(text))
  if (!message.success) return null
  if (message.data.type !== 'connection_init') {
    const written = writeMessage(message.data)
    return written === null ? null : { text: written, isInit: false }
  }
  const credentials = authorizationFromPayload(message.data.payload) ?? authorization
  const headers = credentials === undefined ? {} : { Authorization: credentials }
  const init = { type: 'connection_init', payload: { headers } }
  return { text: JSON.stringify(init), isInit: true }
}

const Message = z.object({
  type: z.string(),
  id: z.string().optional(),
  payload: z.unknown().optional(),
})

const Payload = z.object({ headers: z.record(z.string(), z.unknown()) })

function authorizationFromPayload(payload: unknown): string | undefined {
  const { headers = {} } = Payload.safeParse(payload).data ?? {}
  const [, value] =
    Object.entries(headers).find(([name]) => name.toLowerCase() === 'authorization') ?? []
  return typeof value === 'string' ? value : undefined
}

function parseMessage(text: string): unknown {
  try {
    return parseExactJson(text)
  } catch {
    return null
  }
}

/** `JSON.parse` takes any depth; `JSON.stringify` throws when the stack is too small for it. */
function writeMessage(message: object): string | null {
  try {
    return JSON.stringify(message)
  } catch {
    return null
  }
}
