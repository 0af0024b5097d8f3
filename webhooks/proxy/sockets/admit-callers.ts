import type { WebSocket } from 'ws'
import { abortOnClose } from '../../../lib/runtime/limits/abort-signals.ts'
import type {
  CredentialGate,
  CredentialOutcome,
} from '../../../lib/runtime/limits/credential-gate.ts'
import type { Leave } from '../../../lib/runtime/limits/fair-queue.ts'
import type { TakePlace } from '../../../lib/runtime/limits/places.ts'
import type { KnownCallers } from '../../credentials/known-callers.ts'
import { closeSocket } from './close-socket.ts'
import { verdictOnInit } from './socket-message.ts'

/** With this Hasura closes a socket of the newer protocol whose credentials are wrong. */
const FORBIDDEN = 4403

/** A client's socket, the one to Hasura, and what bounds those like them. */
export type Admitting = {
  client: WebSocket
  upstream: WebSocket
  /** The client's; for IPv6 its network. */
  address: string
  gate: CredentialGate
  callers: KnownCallers
  /** Bounds the sockets of a caller. */
  takeCallersPlace: TakePlace
}

/**
 * Makes what decides, for each `connection_init` of a socket, whether it may be passed on: the caller has few enough
 * sockets, and it is the turn of these credentials, if their address has shown many wrong ones. Closes the socket
 * otherwise.
 *
 * @returns a function whose result is the name of the caller, or null if the socket is closed
 */
export function admitCallers(pair: Admitting): (credentials: string) => Promise<string | null> {
  const { client, upstream, address, gate, callers } = pair
  const takePlace = onePlace(pair)
  let settle: (outcome: CredentialOutcome | null) => void = () => {}
  upstream.on('message', (data: Buffer) => {
    const verdict = verdictOnInit(data)
    if (verdict) settle(verdict)
  })
  upstream.once('close', (code) => settle(code === FORBIDDEN ? 'wrong' : null))
  return async (credentials) => {
    settle(null)
    const bearer = { address, credentials }
    const leave = await gate.enter(bearer, abortOnClose(client)).catch(() => null)
    if (!leave) {
      closeSocket(client, 4429, 'too many wrong credentials from this address: try again later')
      return null
    }
    const caller = await callers.identify(credentials, {})
    const refuse = () => {
      leave()
      return null
    }
    if (upstream.readyState !== upstream.OPEN || client.readyState !== client.OPEN) return refuse()
    if (!takePlace(caller)) {
      closeSocket(client, 4429, 'too many sockets at once')
      return refuse()
    }
    settle = (outcome) => {
      settle = () => {}
      leave()
      if (outcome) gate.settle(bearer, outcome)
    }
    return caller
  }
}

/** Counts a socket as one of its caller's; when it names another, as one of theirs instead. */
function onePlace({
  client,
  takeCallersPlace,
}: Pick<Admitting, 'client' | 'takeCallersPlace'>): (caller: string) => boolean {
  let leave: Leave = () => {}
  client.once('close', () => leave())
  return (caller) => {
    leave()
    const taken = takeCallersPlace(caller)
    leave = taken ?? (() => {})
    return taken !== null
  }
}
