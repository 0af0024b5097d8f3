import { z } from 'zod'

declare global {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface adds to the one that there is
  interface JSON {
    /** A number that is written with just these digits. */
    rawJSON(text: string): object
  }
}

/** A client's message, safe to be passed on. */
export type SocketMessage = { text: string; isInit: boolean }

/**
 * Reads a message of a client of GraphQL over WebSocket, and writes it anew: Hasura then reads what we have
 * read, even of JSON that two readers understand differently (a key that comes twice).
 *
 * `connection_init` carries a client's headers, and Hasura believes them as if they had come with a request:
 * all but `Authorization` are left out, the admin secret and `x-hasura-*` among them.
 *
 * @param authorization of the upgrade; that of the message wins
 * @returns null for what is no message, and for one that is nested too deeply
 */
export function cleanse(text: string, authorization: string | undefined): SocketMessage | null {
  const message = Message.safeParse(read(text))
  if (!message.success) return null
  if (message.data.type !== 'connection_init') {
    const written = write(message.data)
    return written === null ? null : { text: written, isInit: false }
  }
  const credentials = own(message.data.payload) ?? authorization
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

function own(payload: unknown): string | undefined {
  const { headers = {} } = Payload.safeParse(payload).data ?? {}
  const [, value] =
    Object.entries(headers).find(([name]) => name.toLowerCase() === 'authorization') ?? []
  return typeof value === 'string' ? value : undefined
}

function read(text: string): unknown {
  try {
    return LONG_NUMBER.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text)
  } catch {
    return null
  }
}

/** Reading goes to any depth; writing only as deep as the stack is, and says so by throwing. */
function write(message: object): string | null {
  try {
    return JSON.stringify(message)
  } catch {
    return null
  }
}

/** Numbers that a double may not hold. */
const LONG_NUMBER = /[\d.]{16}|\d[eE]/

function keepDigits(_key: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' && context?.source ? JSON.rawJSON(context.source) : value
}
