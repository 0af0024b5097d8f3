/** The ways to verify a person before they join a group (spec 2.1), strongest first. */
export const VERIFICATION_LEVELS = [
  'orb',
  'secure_document',
  'document',
  'device',
  'face',
  'selfie',
] as const

export type VerificationLevel = (typeof VERIFICATION_LEVELS)[number]
