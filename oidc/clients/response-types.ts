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
