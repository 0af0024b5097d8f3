import type { Request, Response } from 'express'
import { callerAddress } from '../../lib/runtime/limits/rate-limiter.ts'
import { hashToken, makeToken } from '../../lib/runtime/secrets/secret.ts'
import { readOwnCookie, setOwnCookie } from '../credentials/own-cookie.ts'

/** The origin of a login: a browser that keeps our cookie, or any program at a network address. */
export type Device = {
  /** The network address; for IPv6 the network. */
  address: string
  userAgent: string | null
  /** The hashes by which a user's device is known: of the address, and of the cookie's token. */
  hashes: readonly string[]
}

/** How long a browser keeps the cookie, and we remember a device that does not come back. */
const REMEMBERED_DAYS = 90

const MAX_USER_AGENT = 256

const COOKIE = 'device'

/** The device that a request comes from, as far as the request shows. */
export function deviceOf(request: Request, baseUrl: string): Device {
  return describeDevice(request, deviceToken(request, baseUrl))
}

/**
 * The device by which a user is known from a login on, and the token for its cookie.
 *
 * The token that the browser brings is kept only if the user is known by it already, that is if `knownHashes` has its hash.
 * Another person may have put any other token into the browser, and would be known by it, too.
 */
export function deviceToRemember(
  request: Request,
  baseUrl: string,
  knownHashes: readonly string[] = [],
): Device & { token: string } {
  const brought = deviceToken(request, baseUrl)
  const isKept = brought !== null && knownHashes.includes(hashToken(brought))
  const token = isKept ? brought : makeToken()
  return { ...describeDevice(request, token), token }
}

/**
 * Gives a browser the cookie by which it is recognised at its next login, from whatever address; the cookie grants no
 * rights. To be called once the device is stored: until then the browser keeps the cookie that it has.
 */
export function setDeviceCookie(
  response: Response,
  { token }: { token: string },
  baseUrl: string,
): void {
  const maxAgeMs = REMEMBERED_DAYS * 86_400_000
  setOwnCookie(response, { name: COOKIE, value: token, maxAgeMs }, baseUrl)
}

/** The token in the cookie: one of ours by its form, or null. */
function deviceToken(request: Request, baseUrl: string): string | null {
  const value = readOwnCookie(request.headers, COOKIE, baseUrl)
  return value !== null && /^[\w-]{43}$/.test(value) ? value : null
}

function describeDevice(request: Request, token: string | null): Device {
  const address = callerAddress(request)
  return {
    address,
    userAgent: request.get('user-agent')?.slice(0, MAX_USER_AGENT) ?? null,
    hashes: [address, ...(token === null ? [] : [token])].map(hashToken),
  }
}
