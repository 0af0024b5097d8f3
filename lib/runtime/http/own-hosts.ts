import type { IncomingMessage, ServerResponse } from 'node:http'
import { BlockList, isIP } from 'node:net'

/** The host names that a browser uses for its own machine. */
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/**
 * True if a Host header names this machine. A foreign host name may resolve to this machine (DNS rebinding); a browser
 * would then let a foreign website read our responses.
 *
 * @param configured further names of this machine, without ports
 */
export function isOwnHost(host: string | undefined, configured: readonly string[] = []): boolean {
  const [, name = ''] = /^(\[[^\]]*\]|[^:]*)(?::\d+)?$/.exec(host ?? '') ?? []
  return [...LOOPBACK, ...configured].some((host) => host.toLowerCase() === name.toLowerCase())
}

const LOOPBACK_ADDRESSES = new BlockList()
LOOPBACK_ADDRESSES.addSubnet('127.0.0.0', 8)
LOOPBACK_ADDRESSES.addAddress('::1', 'ipv6')

/** True for an address that only this machine can reach, like 127.0.0.1, ::1 or localhost. */
export function isLoopback(address: string): boolean {
  const version = isIP(address)
  if (version === 0) return address.toLowerCase() === 'localhost'
  return LOOPBACK_ADDRESSES.check(address, version === 6 ? 'ipv6' : 'ipv4')
}

/** True if an Origin header names a page of this machine. */
export function isOwnOrigin(origin: string): boolean {
  return URL.canParse(origin) && isOwnHost(new URL(origin).host)
}

/** Answers 421 to a request for another host. Protects pages that only the person at this machine may see. */
export function refuseOtherHosts(
  { headers, socket }: IncomingMessage,
  response: ServerResponse,
  next: () => void,
): void {
  if (isOwnHost(headers.host)) {
    next()
    return
  }
  response.statusCode = 421
  response.setHeader('content-type', 'text/plain; charset=utf-8')
  response.end(`Open this page at http://localhost:${socket.localPort}`)
}
