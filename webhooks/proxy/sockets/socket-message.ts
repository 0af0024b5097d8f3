import type { RawData } from 'ws'
import { z } from 'zod'
import { parseExactJson } from '../../../lib/runtime/exact-json.ts'
import { judgeRequest, type RequestFault } from '../judge-request.ts'

/** A client's message that is safe to forward. */
export type SocketMessage = { text: string } & (
  | { kind: 'other' }
  | { kind: 'init'; credentials: string }
  | { kind: 'stop'; id: string }
  /** `fault` is the reason why the operation may not start; null if it may. */
  | { kind: 'start'; id: string; fault: RequestFault | null }
)

/**
 * Parses a client's message and serialises it again. So Hasura reads exactly the checked values, even if two parsers
 * disagree about a duplicate key.
 *
 * Hasura trusts the headers in `connection_init` like the headers of a request. So all headers except `Authorization` are
 * dropped, including the admin secret and `x-hasura-*`.
 *
 * @param authorization the header of the upgrade; a header in the message takes precedence
 * @returns null for a malformed or too deeply nested message
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
    const verdict = judgeRequest(payload)
    return { text, kind: 'start', id, fault: 'path' in verdict ? verdict : null }
  }
  return STOP.has(type) ? { text, kind: 'stop', id } : { text, kind: 'other' }
}

/** The names of a message in the newer and the older protocol. */
const START: ReadonlySet<string> = new Set(['subscribe', 'start'])
const STOP: ReadonlySet<string> = new Set(['complete', 'stop'])

/** Returns the id of the operation that a message of Hasura ends, or null for other messages. */
export function findEndedOperation(data: RawData): string | null {
  const bytes = bytesOf(data)
  const isEnd = ENDS_AT_HEAD.test(headOf(bytes)) || ENDS_AT_TAIL.test(tailOf(bytes))
  if (!isEnd) return null
  const { type = '', id = null } = Message.safeParse(parseMessage(bytes.toString())).data ?? {}
  return ENDS.has(type) ? id : null
}

/** Reads from Hasura's response to `connection_init` if the credentials were right. Returns null for other messages. */
export function readInitVerdict(data: RawData): 'right' | 'wrong' | null {
  const [, verdict] = VERDICT.exec(headOf(bytesOf(data))) ?? []
  if (verdict === undefined) return null
  return verdict === 'ack' ? 'right' : 'wrong'
}

const VERDICT = /^\{(?:"payload":.*)?"type":"connection_(ack|error)"/

/** Patterns of messages that end an operation. Most messages are results, which may be long and are not parsed. */
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

/** Returns the message as JSON, or null if it is nested too deeply for the stack. `JSON.parse` has no such limit. */
function writeMessage(message: object): string | null {
  try {
    return JSON.stringify(message)
  } catch {
    return null
  }
}
