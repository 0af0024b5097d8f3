import { z } from 'zod'

/** The messages of a client, in a form that is the same for both protocols. */
export type ClientMessage =
  | { type: 'init'; headers: Readonly<Record<string, string>> }
  | { type: 'start'; id: string; payload: unknown }
  | { type: 'stop'; id: string }
  | { type: 'ping'; payload?: unknown }
  | { type: 'pong' }
  | { type: 'terminate' }

/** The differences between the two protocols. */
export type SocketProtocol = {
  name: 'graphql-transport-ws' | 'graphql-ws'
  /** @returns null for a message that the protocol does not have */
  parseMessage(message: unknown): ClientMessage | null
  resultType: 'next' | 'data'
  /** The payload of an `error` message. */
  errorPayload(errors: readonly object[]): unknown
  keepAlive: object
  /**
   * What happens on a fault of the connection:
   * it is closed with a code, or gets the message `connection_error`.
   */
  faults: { [Kind in SocketFault]: number } | 'connection_error'
}

/** What can be wrong with a connection. */
export type SocketFault =
  | 'malformed'
  | 'unauthorized'
  | 'forbidden'
  | 'timeout'
  | 'duplicate'
  | 'again'

const Headers = z
  .looseObject({ headers: z.record(z.string(), z.coerce.string()).nullish() })
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

const Ping = z.object({ type: z.literal('ping'), payload: z.unknown().optional() })
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
    unauthorized: 4401,
    forbidden: 4403,
    timeout: 4408,
    duplicate: 4409,
    again: 4429,
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

/** The protocol of a socket; as in Hasura, a client that names none gets the older one. */
export function socketProtocol(chosen: string): SocketProtocol {
  return chosen === GRAPHQL_TRANSPORT_WS.name ? GRAPHQL_TRANSPORT_WS : GRAPHQL_WS
}

/** Chooses one of the sub-protocols that a client offers; false if it offers none that we know. */
export function chooseProtocol(offered: ReadonlySet<string>): string | false {
  const known = [GRAPHQL_TRANSPORT_WS.name, GRAPHQL_WS.name]
  return known.find((name) => offered.has(name)) ?? false
}
