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

/** A group of people: the name of its contract, and what being in it proves. */
export type ProvingGroup = { name: string; levels: ReadonlySet<VerificationLevel> }
