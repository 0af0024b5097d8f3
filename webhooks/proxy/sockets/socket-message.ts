import type { RawData } from 'ws'
import { z } from 'zod'
import { parseExactJson } from '../../../lib/runtime/exact-json.ts'
import { judgeRequest, type RequestFault } from '../judge-request.ts'

/** A client's message, safe to pass on. */
export type SocketMessage = { text: string } & (
  | { kind: 'other' }
  | { kind: 'init'; credentials: string }
  | { kind: 'stop'; id: string }
  /** `fault` is what is too much about the operation that it starts. */
  | { kind: 'start'; id: string; fault: RequestFault | null }
)

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
  if (message.data.type !== 'connection_init') return rewriteMessage(message.data)
  const credentials = authorizationFromPayload(message.data.payload) ?? authorization
  const headers = credentials === undefined ? {} : { Authorization: credentials }
  const init = { type: 'connection_init', payload: { headers } }
  return { text: JSON.stringify(init), kind: 'init', credentials: credentials ?? '' }
}

function rewriteMessage(message: z.infer<typeof Message>): SocketMessage | null {
  const text = writeMessage(message)
  if (text === null) return null
  const { type, id, payload } = message
  if (id === undefined) return { text, kind: 'other' }
  if (START.has(type)) {
    const judged = judgeRequest(payload)
    return { text, kind: 'start', id, fault: 'path' in judged ? judged : null }
  }
  return STOP.has(type) ? { text, kind: 'stop', id } : { text, kind: 'other' }
}

/** The names of a message in the newer protocol and in the older one. */
const START: ReadonlySet<string> = new Set(['subscribe', 'start'])
const STOP: ReadonlySet<string> = new Set(['complete', 'stop'])

/** The id of the operation that a message of Hasura's ends; null for every other message. */
export function endedOperation(data: RawData): string | null {
  const bytes = bytesOf(data)
  const isEnd = ENDS_AT_HEAD.test(headOf(bytes)) || ENDS_AT_TAIL.test(tailOf(bytes))
  if (!isEnd) return null
  const { type = '', id = null } = Message.safeParse(parseMessage(bytes.toString())).data ?? {}
  return ENDS.has(type) ? id : null
}

/** What Hasura says to a `connection_init`: whether the credentials were right; null for every other message. */
export function verdictOnInit(data: RawData): 'right' | 'wrong' | null {
  const [, verdict] = VERDICT.exec(headOf(bytesOf(data))) ?? []
  if (verdict === undefined) return null
  return verdict === 'ack' ? 'right' : 'wrong'
}

const VERDICT = /^\{(?:"payload":.*)?"type":"connection_(ack|error)"/

/** Most messages are results, which may be long: only what looks like an end is read whole. */
const ENDS_AT_HEAD = /^\{(?:"id":"(?:[^"\\]|\\.){0,200}",)?"type":"(?:complete|error)"/
const ENDS_AT_TAIL = /"type":"(?:complete|error)"\}$/
const ENDS: ReadonlySet<string> = new Set(['complete', 'error'])

const HEAD_BYTES = 1_000
const TAIL_BYTES = 24

function headOf(bytes: Buffer): string {
  return bytes.toString('latin1', 0, HEAD_BYTES)
}

function tailOf(bytes: Buffer): string {
  return bytes.toString('latin1', Math.max(0, bytes.length - TAIL_BYTES))
}

function bytesOf(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data)
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
