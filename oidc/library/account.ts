import { z } from 'zod'
import { VERIFICATION_LEVELS } from '../../proof/verification-level.ts'

/** Who signed in: a person within one app, and with which kind of credential. */
export type Account = {
  appId: string
  /** In canonical form. It is the subject (`sub`), so the same person has a different one in each app. */
  nullifierHash: string
  verificationLevel: VerificationLevel
}

export const VerificationLevel = z.enum(VERIFICATION_LEVELS)
type VerificationLevel = z.infer<typeof VerificationLevel>

/**
 * Writes an account as the id that the library passes around. It holds everything about the account, so
 * that nothing has to be stored, and the app, so that an id of one app is never valid in another.
 */
export function formatAccountId({ appId, nullifierHash, verificationLevel }: Account): string {
  return [appId, nullifierHash, verificationLevel].join('|')
}

/** @throws Error unless `formatAccountId` wrote the id */
export function parseAccountId(id: string): Account {
  const [appId = '', nullifierHash = '', level] = id.split('|')
  return { appId, nullifierHash, verificationLevel: VerificationLevel.parse(level) }
}

/**
 * The claims about an account (spec 2.12). Nobody knows who the person is: the e-mail address and the
 * name are pseudonyms, for relying parties that require them.
 */
export function accountClaims(issuer: string) {
  const { hostname } = new URL(issuer)
  return ({ nullifierHash, verificationLevel }: Account) => ({
    sub: nullifierHash,
    [betaClaim(issuer)]: {
      likely_human: verificationLevel === 'orb' ? 'strong' : 'weak',
      credential_type: verificationLevel,
    },
    // Without 0x: the part before the @ has at most 64 characters (RFC 5321 4.5.3.1.1).
    email: `${nullifierHash.replace('0x', '')}@${hostname}`,
    name: 'World ID User',
    given_name: 'World ID',
    family_name: 'User',
  })
}

/** The name of the claim about the proof, which every id_token and /userinfo contain. */
export function betaClaim(issuer: string): string {
  return `${issuer}/beta`
}
