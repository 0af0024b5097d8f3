import { z } from 'zod'

/** A client's message, in one form for both protocols. */
export type ClientMessage =
  | { type: 'init'; headers: Readonly<Record<string, string>> }
  | { type: 'start'; id: string; payload: unknown }
  | { type: 'stop'; id: string }
  | { type: 'ping'; text: string | null }
  | { type: 'pong' }
  | { type: 'terminate' }

/** The differences between the two protocols. */
export type SocketProtocol = {
  name: 'graphql-transport-ws' | 'graphql-ws'
  /** Checks a message. @returns null if the protocol does not have it */
  parseMessage(message: unknown): ClientMessage | null
  /** The type of a message with a result. */
  resultType: 'next' | 'data'
  /** The payload of an `error` message. */
  errorPayload(errors: readonly object[]): unknown
  keepAlive: object
  /** The close code for each fault. For most faults, the older protocol sends `connection_error` instead. */
  faults: { [Kind in SocketFault]: number } | 'connection_error'
}

/** The kinds of faults of a connection. */
export type SocketFault = 'malformed' | 'forbidden' | 'timeout'

/**
 * Rejects two headers if their names differ only in letter case and their values differ. Hasura would use an arbitrary one of
 * them.
 */
const HeadersByName = z.record(z.string(), z.string()).refine((headers) => {
  const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
  const last = new Map(entries.map(([name, value]) => [name, value]))
  return entries.every(([name, value]) => last.get(name) === value)
})

const Headers = z
  .looseObject({ headers: HeadersByName.nullish() })
  .nullish()
  .transform((payload) => payload?.headers ?? {})

const Init = z
  .object({ type: z.literal('connection_init'), payload: Headers })
  .transform(({ payload }) => ({ type: 'init' as const, headers: payload }))

function startMessage(type: 'subscribe' | 'start') {
  return z
    .object({ type: z.literal(type), id: z.string(), payload: z.unknown() })
    .transform(({ id, payload }) => ({ type: 'start' as const, id, payload }))
}

function stopMessage(type: 'complete' | 'stop') {
  return z
    .object({ type: z.literal(type), id: z.string() })
    .transform(({ id }) => ({ type: 'stop' as const, id }))
}

const Ping = z
  .object({
    type: z.literal('ping'),
    payload: z
      .object({ message: z.string().nullable().catch(null) })
      .nullish()
      .catch(null),
  })
  .transform(({ payload }) => ({ type: 'ping' as const, text: payload?.message ?? null }))
const Pong = z.object({ type: z.literal('pong') })
const Terminate = z
  .object({ type: z.literal('connection_terminate') })
  .transform(() => ({ type: 'terminate' as const }))

const Current = z.union([Init, startMessage('subscribe'), stopMessage('complete'), Ping, Pong])
const Legacy = z.union([Init, startMessage('start'), stopMessage('stop'), Terminate])

/** @see https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md */
const GRAPHQL_TRANSPORT_WS: SocketProtocol = {
  name: 'graphql-transport-ws',
  parseMessage: (message) => Current.safeParse(message).data ?? null,
  resultType: 'next',
  errorPayload: (errors) => errors,
  keepAlive: { type: 'ping', payload: { message: 'keepalive' } },
  faults: {
    malformed: 4400,
    forbidden: 4403,
    timeout: 4408,
  },
}

/** @see https://github.com/apollographql/subscriptions-transport-ws/blob/master/PROTOCOL.md */
const GRAPHQL_WS: SocketProtocol = {
  name: 'graphql-ws',
  parseMessage: (message) => Legacy.safeParse(message).data ?? null,
  resultType: 'data',
  errorPayload: (errors) => ({ errors }),
  keepAlive: { type: 'ka' },
  faults: 'connection_error',
}

/** Returns the protocol with this name. Like Hasura, uses the older protocol for a client that names none. */
export function socketProtocol(name: string): SocketProtocol {
  return name === GRAPHQL_TRANSPORT_WS.name ? GRAPHQL_TRANSPORT_WS : GRAPHQL_WS
}

/** Chooses one of the sub-protocols that a client offers, preferring the newer protocol. Returns false if it offers neither. */
export function chooseProtocol(offered: ReadonlySet<string>): string | false {
  const names = [GRAPHQL_TRANSPORT_WS.name, GRAPHQL_WS.name]
  return names.find((name) => offered.has(name)) ?? false
}
