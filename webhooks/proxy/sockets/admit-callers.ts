import type { WebSocket } from 'ws'
import { abortOnClose } from '../../../lib/runtime/limits/abort-signals.ts'
import type {
  CredentialGate,
  CredentialOutcome,
} from '../../../lib/runtime/limits/credential-gate.ts'
import type { Leave } from '../../../lib/runtime/limits/fair-queue.ts'
import type { TakePlace } from '../../../lib/runtime/limits/places.ts'
import type { CallerNames } from '../../credentials/caller-names.ts'
import { closeSocket } from './close-socket.ts'
import { readInitVerdict } from './socket-message.ts'

/** The code with which Hasura closes a socket of the newer protocol for wrong credentials. */
const FORBIDDEN = 4403

/** A client's socket and its socket to Hasura, with the limits that apply to them. */
export type SocketsToAdmit = {
  client: WebSocket
  upstream: WebSocket
  /** The client's address; for IPv6 its network. */
  address: string
  gate: CredentialGate
  callers: CallerNames
  /** Bounds the sockets of a caller. */
  takeCallersPlace: TakePlace
}

/**
 * Creates the function that decides for each `connection_init` of a socket if it is forwarded. The function waits if the
 * address has sent many wrong credentials. It closes the socket if too many such calls wait, or if the caller has too many
 * sockets.
 *
 * @returns a function that returns the name of the caller, or null if the socket is closed
 */
export function createAdmission(
  pair: SocketsToAdmit,
): (credentials: string) => Promise<string | null> {
  const { client, upstream, address, gate, callers } = pair
  const takePlace = createPlaceHolder(pair)
  let settle: (outcome: CredentialOutcome | null) => void = () => {}
  upstream.on('message', (data: Buffer) => {
    const verdict = readInitVerdict(data)
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

/** Creates the function that counts the socket for a caller. A new caller of the same socket replaces the old one. */
function createPlaceHolder({
  client,
  takeCallersPlace,
}: Pick<SocketsToAdmit, 'client' | 'takeCallersPlace'>): (caller: string) => boolean {
  let leave: Leave = () => {}
  client.once('close', () => leave())
  return (caller) => {
    leave()
    const leavePlace = takeCallersPlace(caller)
    leave = leavePlace ?? (() => {})
    return leavePlace !== null
  }
}
