import { z } from 'zod'
import { VERIFICATION_LEVELS } from '../../lib/proof/verification-level.ts'

/** A person within one app, with the kind of credential that the person used. */
export type Account = {
  appId: string
  /** The nullifier in canonical form. It is the subject (`sub`), so a person has a different subject in each app. */
  nullifierHash: string
  verificationLevel: VerificationLevel
  /** True for a staging app, to which simulated people can sign in. */
  isStaging: boolean
}

export const VerificationLevel = z.enum(VERIFICATION_LEVELS)
type VerificationLevel = z.infer<typeof VerificationLevel>

/**
 * Formats an account as the account id of oidc-provider. The id contains the whole account, so that accounts need not
 * be stored. It contains the app, so that an id of one app is never valid in another app.
 */
export function formatAccountId(account: Account): string {
  const { appId, nullifierHash, verificationLevel, isStaging } = account
  return [appId, nullifierHash, verificationLevel, ...(isStaging ? [STAGING] : [])].join('|')
}

const STAGING = 'staging'

/** Parses an id that `formatAccountId` has made. @throws Error if the id contains no verification level */
export function parseAccountId(id: string): Account {
  const [appId = '', nullifierHash = '', level, environment] = id.split('|')
  const verificationLevel = VerificationLevel.parse(level)
  return { appId, nullifierHash, verificationLevel, isStaging: environment === STAGING }
}

/**
 * Returns a function that makes the claims about an account (spec 2.12). The person is anonymous, but some relying parties
 * require an e-mail address and a name. The address contains the nullifier; the name is the same for every person.
 */
export function accountClaims(issuer: string) {
  const { hostname } = new URL(issuer)
  return ({ nullifierHash, ...proven }: Account) => ({
    sub: nullifierHash,
    [betaClaim(issuer)]: claimAboutProof(proven),
    // Without 0x, because the part before the @ has at most 64 characters (RFC 5321 4.5.3.1.1).
    email: `${nullifierHash.replace('0x', '')}@${hostname}`,
    name: 'World ID User',
    given_name: 'World ID',
    family_name: 'User',
  })
}

/**
 * Makes the claim about the proof. Any program can make a proof of a simulated person with any level. So a staging
 * app never gets `strong`, and gets `staging` in addition to the level.
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

/**
 * Returns the name of the claim about the proof. The claim is in every id_token and in the responses of /userinfo and
 * /introspect.
 */
export function betaClaim(issuer: string): string {
  return `${issuer}/beta`
}
