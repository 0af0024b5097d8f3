import type { Request, Response } from 'express'
import { callerAddress } from '../../lib/limits/rate-limiter.ts'
import { hashToken, makeToken } from '../../lib/secrets/secret.ts'

/** What a person logs in with: a browser that keeps our cookie, or whatever is at a network address. */
export type Device = {
  /** The network address; for IPv6 the network. */
  address: string
  userAgent: string | null
  /** Hashes of all that it can be known by. */
  hashes: readonly string[]
}

/** How long a browser keeps the cookie, and we remember a device that does not come back. */
const REMEMBERED_DAYS = 90

const MAX_USER_AGENT = 256

/** The device that a request comes from, as far as the request shows. */
export function deviceOf(request: Request): Device {
  const address = callerAddress(request)
  const cookie = deviceCookie(request)
  return {
    address,
    userAgent: request.get('user-agent')?.slice(0, MAX_USER_AGENT) ?? null,
    hashes: [address, ...(cookie ? [cookie] : [])].map(hashToken),
  }
}

/**
 * Gives a browser the cookie by which it is recognised at its next login, from whatever address; the cookie
 * grants no rights.
 *
 * @returns the device with what it will also be known by
 */
export function rememberDevice(request: Request, response: Response): Device {
  const device = deviceOf(request)
  const known = deviceCookie(request)
  const token = known ?? makeToken()
  response.cookie(COOKIE, token, {
    httpOnly: true,
    sameSite: 'strict',
    secure: request.secure,
    path: '/api/v1',
    maxAge: REMEMBERED_DAYS * 86_400_000,
  })
  return known ? device : { ...device, hashes: [...device.hashes, hashToken(token)] }
}

const COOKIE = 'device'

/** The value of the cookie: a token of ours, or null. */
function deviceCookie(request: Request): string | null {
  const [, token] = /(?:^|;\s*)device=([\w-]{43})(?:;|$)/.exec(request.get('cookie') ?? '') ?? []
  return token ?? null
}
