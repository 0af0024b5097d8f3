import { z } from 'zod'
import { formatField, hashToField } from '../../lib/proof/encoding.ts'
import { VERIFICATION_LEVELS } from '../../lib/proof/verification-level.ts'

/** How a person was verified. */
export const VerificationLevel = z.enum(VERIFICATION_LEVELS)
export type VerificationLevel = z.infer<typeof VerificationLevel>

/** A number in hex, with or without `0x`. */
export const hexNumber = z
  .string()
  .regex(/^(0x)?[0-9a-fA-F]{1,64}$/, 'Must be hex of 1 to 64 digits, with or without 0x.')

export const proofText = z.string().describe('The proof, in any encoding that wallets use')

export const rootText = z.string().describe('The Merkle root that the proof was made for, in hex')

export const signalHash = z
  .string()
  .regex(/^0x[0-9a-fA-F]+$/, 'Must be hex that begins with 0x.')
  .default(formatField(hashToField('')))
  .describe(
    "Keccak-256 of the signal's bytes, shifted right by 8 bits, in hex. A signal of 0x and hex digits is bytes; any other signal is UTF-8. The default is the hash of the empty text",
  )

export const maxAge = z
  .int()
  .min(3_600)
  .max(604_800)
  .optional()
  .describe(
    'The maximum number of seconds since the root was superseded. Cannot exceed the limit of the service',
  )
