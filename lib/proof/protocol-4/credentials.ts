/**
 * The credentials that IDKit knows: the name in requests and results, and the issuer schema id on the chain.
 *
 * @see https://github.com/worldcoin/idkit (rust/core/src/types.rs, at 2cd8a912)
 */
export const CREDENTIALS = {
  proof_of_human: 1n,
  selfie: 11n,
  passport: 9303n,
  mnc: 9310n,
} as const

export type CredentialName = keyof typeof CREDENTIALS

export const CREDENTIAL_NAMES = ['proof_of_human', 'selfie', 'passport', 'mnc'] as const

/** The credentials that a new action accepts, as in the database. */
export const CREDENTIALS_OF_NEW_ACTION = ['proof_of_human'] as const satisfies CredentialName[]

const ISSUERS: ReadonlyMap<string, bigint> = new Map(Object.entries(CREDENTIALS))

/**
 * True if a result may give a credential of this issuer this name. A proof is bound to the issuer, but not to the name. So
 * without this check, a browser could name a passport `proof_of_human`. Anyone can register an issuer. So a credential that
 * IDKit does not know has no name.
 */
export function mayName(identifier: string, issuerSchemaId: bigint): boolean {
  return ISSUERS.get(identifier) === issuerSchemaId
}
