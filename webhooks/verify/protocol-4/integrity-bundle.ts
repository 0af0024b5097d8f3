import { z } from 'zod'

const MAX_BUNDLE_BYTES = 8_192

/**
 * A statement of a phone's operating system that World App made the proof (spec 2.19). Checking it requires World's
 * attestation service, which this service never calls. It is parsed strictly, so that a caller learns whether the bundle
 * is malformed.
 */
export const IntegrityBundle = z
  .strictObject({
    version: z.literal(1),
    signature_format: z.enum(['apple_app_attest', 'android_keystore']),
    timestamp: z.int().min(0),
    signature: z
      .string()
      .max(MAX_BUNDLE_BYTES)
      .regex(/^([0-9a-fA-F]{2})+$/, 'Must be hex digits, in pairs.'),
    jwt: z.string().min(1).max(MAX_BUNDLE_BYTES),
  })
  .refine(
    (bundle) => Buffer.byteLength(JSON.stringify(bundle)) <= MAX_BUNDLE_BYTES,
    `Must have at most ${MAX_BUNDLE_BYTES} bytes.`,
  )
