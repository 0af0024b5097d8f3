import type { Request, Response } from 'express'
import { callerAddress } from '../../lib/runtime/limits/rate-limiter.ts'
import { hashToken, makeToken } from '../../lib/runtime/secrets/secret.ts'
import { readHostCookie, setHostCookie } from '../credentials/host-cookie.ts'

/** The device that a login comes from: a browser that keeps our cookie, or any program at a network address. */
export type Device = {
  /** The IP address; for IPv6 its network. */
  address: string
  userAgent: string | null
  /** The hashes that identify the device: of the address and, if the browser has the cookie, of the cookie's token. */
  hashes: readonly string[]
}

/** How long a browser keeps the cookie. The database forgets an unused device after the same time. */
const REMEMBERED_DAYS = 90

const MAX_USER_AGENT = 256

const COOKIE = 'device'

/** Returns the device of a request, from its address and its cookie. */
export function deviceOf(request: Request, baseUrl: string): Device {
  return describeDevice(request, deviceToken(request, baseUrl))
}

/**
 * Returns the device to store at a login, and the token for its cookie.
 *
 * Keeps the browser's token only if `knownHashes` contains its hash: then the user has logged in with this token before.
 * An attacker may have put any other token into the browser, and could later pose as the user's device.
 */
export function deviceToRemember(
  request: Request,
  baseUrl: string,
  knownHashes: readonly string[] = [],
): Device & { token: string } {
  const cookieToken = deviceToken(request, baseUrl)
  const isKnown = cookieToken !== null && knownHashes.includes(hashToken(cookieToken))
  const token = isKnown ? cookieToken : makeToken()
  return { ...describeDevice(request, token), token }
}

/**
 * Sets the cookie that identifies the browser at its next login from any address. The cookie grants no rights. Call this
 * only after the device is stored.
 */
export function setDeviceCookie(
  response: Response,
  { token }: { token: string },
  baseUrl: string,
): void {
  const maxAgeMs = REMEMBERED_DAYS * 86_400_000
  setHostCookie(response, { name: COOKIE, value: token, maxAgeMs }, baseUrl)
}

/** Returns the token in the cookie. Returns null without a cookie, and if the value does not have the form of our tokens. */
function deviceToken(request: Request, baseUrl: string): string | null {
  const value = readHostCookie(request.headers, COOKIE, baseUrl)
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
