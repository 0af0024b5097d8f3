/** How a person can have been verified before they were put into a group (spec 2.1). */
export const VERIFICATION_LEVELS = [
  'orb',
  'secure_document',
  'document',
  'device',
  'face',
  'selfie',
] as const

export type VerificationLevel = (typeof VERIFICATION_LEVELS)[number]
