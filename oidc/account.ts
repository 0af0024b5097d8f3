import { z } from 'zod'

/** Who signed in: a person within one app, and how they proved to be one. */
export type Account = {
  appId: string
  /** Canonical; it is the subject, so one person is another subject in each app. */
  nullifierHash: string
  verificationLevel: VerificationLevel
}

export const VerificationLevel = z.enum([
  'orb',
  'secure_document',
  'document',
  'device',
  'face',
  'selfie',
])
type VerificationLevel = z.infer<typeof VerificationLevel>

/**
 * Writes an account as the id that the library passes around: nothing has to be stored for it, and
 * one app's id can never be taken for another's.
 */
export function formatAccountId({ appId, nullifierHash, verificationLevel }: Account): string {
  return [appId, nullifierHash, verificationLevel].join('|')
}

/** @throws Error for what `formatAccountId` did not write */
export function parseAccountId(id: string): Account {
  const [appId = '', nullifierHash = '', level] = id.split('|')
  return { appId, nullifierHash, verificationLevel: VerificationLevel.parse(level) }
}

/**
 * The claims about an account (spec 2.12). Nobody knows who the person is: e-mail address and name
 * are pseudonyms for those relying parties that insist on having some.
 */
export function claimsOf(issuer: string) {
  const { hostname } = new URL(issuer)
  return ({ nullifierHash, verificationLevel }: Account) => ({
    sub: nullifierHash,
    [betaClaim(issuer)]: {
      likely_human: verificationLevel === 'orb' ? 'strong' : 'weak',
      credential_type: verificationLevel,
    },
    email: `${nullifierHash}@${hostname}`,
    name: 'World ID User',
    given_name: 'World ID',
    family_name: 'User',
  })
}

/** The name of the claim about the proof, which is in every id_token and at /userinfo. */
export function betaClaim(issuer: string): string {
  return `${issuer}/beta`
}
