import { z } from 'zod'
import { VERIFICATION_LEVELS } from '../../lib/proof/verification-level.ts'

/** Who signed in: a person within one app, and with which kind of credential. */
export type Account = {
  appId: string
  /** In canonical form. It is the subject (`sub`), so the same person has a different one in each app. */
  nullifierHash: string
  verificationLevel: VerificationLevel
  /** Whether the app is a staging app: then simulated people can sign in to it. */
  isStaging: boolean
}

export const VerificationLevel = z.enum(VERIFICATION_LEVELS)
type VerificationLevel = z.infer<typeof VerificationLevel>

/**
 * Writes an account as the id that oidc-provider passes around. It holds everything about the account, so
 * that nothing has to be stored, and the app, so that an id of one app is never valid in another.
 */
export function formatAccountId(account: Account): string {
  const { appId, nullifierHash, verificationLevel, isStaging } = account
  return [appId, nullifierHash, verificationLevel, ...(isStaging ? [STAGING] : [])].join('|')
}

const STAGING = 'staging'

/** @throws Error unless `formatAccountId` wrote the id */
export function parseAccountId(id: string): Account {
  const [appId = '', nullifierHash = '', level, environment] = id.split('|')
  const verificationLevel = VerificationLevel.parse(level)
  return { appId, nullifierHash, verificationLevel, isStaging: environment === STAGING }
}

/**
 * The claims about an account (spec 2.12). Nobody knows who the person is: the e-mail address and the
 * name are pseudonyms, for relying parties that require them.
 */
export function accountClaims(issuer: string) {
  const { hostname } = new URL(issuer)
  return ({ nullifierHash, ...proven }: Account) => ({
    sub: nullifierHash,
    [betaClaim(issuer)]: claimAboutProof(proven),
    // Without 0x: the part before the @ has at most 64 characters (RFC 5321 4.5.3.1.1).
    email: `${nullifierHash.replace('0x', '')}@${hostname}`,
    name: 'World ID User',
    given_name: 'World ID',
    family_name: 'User',
  })
}

/**
 * The claim about the proof. Any program can prove a simulated person of any level, so a staging app never reads
 * `strong`, and reads `staging` next to the level.
 */
export function claimAboutProof({
  verificationLevel,
  isStaging,
}: Pick<Account, 'verificationLevel' | 'isStaging'>) {
  return {
    likely_human: verificationLevel === 'orb' && !isStaging ? 'strong' : 'weak',
    credential_type: verificationLevel,
    ...(isStaging && { staging: true }),
  }
}

/** The name of the claim about the proof, which every id_token, /userinfo and /introspect contain. */
export function betaClaim(issuer: string): string {
  return `${issuer}/beta`
}
