import { z } from 'zod'

/** All values of `response_type` that /authorize accepts. */
export const RESPONSE_TYPES = [
  'code',
  'id_token',
  'id_token token',
  'code id_token',
  'code token',
  'code id_token token',
] as const

export const ResponseType = z.enum(RESPONSE_TYPES)

/** The response types that a client registers with each grant type. Only /register accepts the grant type `hybrid`. */
export const RESPONSE_TYPES_OF_GRANT = {
  authorization_code: ['code'],
  implicit: ['id_token', 'id_token token'],
  hybrid: [...RESPONSE_TYPES],
} as const satisfies Record<string, readonly z.infer<typeof ResponseType>[]>

/** Returns the grant types that these response types require (RFC 7591 2.1). */
export function grantTypesOf(types: readonly string[]): string[] {
  const words = new Set(types.flatMap((type) => type.split(' ')))
  const implicit = words.has('id_token') || words.has('token')
  return [...(words.has('code') ? ['authorization_code'] : []), ...(implicit ? ['implicit'] : [])]
}
