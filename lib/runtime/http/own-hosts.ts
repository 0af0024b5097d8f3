import type { IncomingMessage, ServerResponse } from 'node:http'
import { BlockList, isIP } from 'node:net'

/** The names under which a browser reaches its own machine. */
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/**
 * Whether a Host header names this machine. Any other name is one that a stranger may have pointed here (DNS rebinding): a
 * browser would let the stranger's website read what is answered to it.
 *
 * @param configured further names, without ports
 */
export function isOwnHost(host: string | undefined, configured: readonly string[] = []): boolean {
  const [, name = ''] = /^(\[[^\]]*\]|[^:]*)(?::\d+)?$/.exec(host ?? '') ?? []
  return [...LOOPBACK, ...configured].some((own) => own.toLowerCase() === name.toLowerCase())
}

const LOOPBACK_ADDRESSES = new BlockList()
LOOPBACK_ADDRESSES.addSubnet('127.0.0.0', 8)
LOOPBACK_ADDRESSES.addAddress('::1', 'ipv6')

/** Whether only this machine reaches a server that listens on an address, such as 127.0.0.1, ::1 or localhost. */
export function isLoopback(address: string): boolean {
  const version = isIP(address)
  if (version === 0) return address.toLowerCase() === 'localhost'
  return LOOPBACK_ADDRESSES.check(address, version === 6 ? 'ipv6' : 'ipv4')
}

/** Whether an Origin header names a page of this machine. */
export function isOwnOrigin(origin: string): boolean {
  return URL.canParse(origin) && isOwnHost(new URL(origin).host)
}

/** Answers 421 to requests for another host; for pages that only the person at this machine should see. */
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
  response.end(`This page answers as http://localhost:${socket.localPort}`)
}
