import type { VerifierSettings } from '../../chain/world-id-contracts.ts'
import { formatField } from '../../proof/encoding.ts'
import { protocol4Signals } from '../../proof/protocol-4/public-signals.ts'
import type { VerificationTask } from '../threads/checked-verifier.ts'
import type { MeasuredPool } from '../threads/measured-pool.ts'
import type { ChainFacts } from './chain-facts.ts'
import type { CrossCheck } from './cross-check.ts'
import { type DecodedProof4, decodeProof4, type SubmittedProof4 } from './decode-proof.ts'

export type Verdict4 = { valid: true; nullifierHash: string } | { valid: false; reason: Reason4 }

/** The reasons to refuse a proof. They are the codes of the public service. */
export type Reason4 =
  | 'invalid_format'
  | 'invalid_public_input'
  | 'invalid_root'
  | 'invalid_credential_issuer'
  /** The relying party has no OPRF key. */
  | 'invalid_rp'
  /** `expiresAtMin` is too long ago. */
  | 'outdated_nullifier'
  | 'invalid_proof'

/** The result of each check of a proof. A check that cannot run is null. */
export type Examination4 = {
  /** The names, as in the request, of the fields that cannot be decoded. */
  unreadable: string[]
  /** The names of the fields whose number is outside its range. */
  outOfRange: string[]
  isRootValid: boolean | null
  isIssuerRegistered: boolean | null
  hasOprfKey: boolean | null
  /** The expiry of the credential, next to the service's limit in seconds since the epoch. */
  expiry: { isRecent: boolean; oldest: bigint } | null
  /** True if the pairing holds; null without the keys of the issuer and the relying party. */
  isProven: boolean | null
}

export type Checks4 = {
  facts: ChainFacts
  pool: Pick<MeasuredPool, 'verify'>
  /** Names of verification keys. */
  keys: Record<'production' | 'staging', readonly string[]>
  /** The addresses of the verifier contracts. */
  verifiers: Record<'production' | 'staging', string>
  /** Seconds since the epoch. */
  now: () => number
}

/**
 * Decodes a proof of protocol 4.0, reads the facts about it from the chain, and verifies the pairing. Stops at the first
 * failure, in the order of the verifier contract.
 *
 * @throws if a dependency does not answer, so that no verdict is possible
 */
export async function verifyProof4(
  checks: Checks4,
  crossCheck: CrossCheck,
  submitted: SubmittedProof4,
): Promise<Verdict4> {
  const { unreadable, decoded } = decodeProof4(submitted)
  if (unreadable.length > 0) return { valid: false, reason: 'invalid_format' }
  if (decoded === null) return { valid: false, reason: 'invalid_public_input' }
  const claim = claimOf(submitted, decoded)
  const reason = await findFailure(checks, claim)
  crossCheck({
    verifier: checks.verifiers[claim.environment],
    numbers: claim.numbers,
    isAccepted: reason === null,
    verifyAgain: async ({ facts, secondsLater }) => {
      const later = () => checks.now() + secondsLater
      return (await findFailure({ ...checks, facts, now: later }, claim)) === null
    },
  })
  if (reason !== null) return { valid: false, reason }
  return { valid: true, nullifierHash: formatField(decoded.numbers.nullifier) }
}

/** Runs all checks of `verifyProof4`, even after a failure, for a developer who debugs a proof. */
export async function examineProof4(
  checks: Checks4,
  submitted: SubmittedProof4,
): Promise<Examination4> {
  const { unreadable, outOfRange, decoded } = decodeProof4(submitted)
  if (decoded === null)
    return {
      ...{ unreadable, outOfRange, isRootValid: null, isIssuerRegistered: null },
      ...{ hasOprfKey: null, expiry: null, isProven: null },
    }
  const claim = claimOf(submitted, decoded)
  const settings = await readVerifierSettings(checks, claim)
  const [isRootValid, keys] = await Promise.all([
    readRoot(checks, claim, settings),
    readKeys(checks, claim, settings),
  ])
  const facts = { settings, ...keys }
  const task = pairingTask(checks, claim, facts)
  return {
    unreadable,
    outOfRange,
    isRootValid,
    isIssuerRegistered: facts.issuerKey !== null,
    hasOprfKey: facts.oprfKey !== null,
    expiry: { isRecent: isRecent(checks, claim, facts), oldest: oldestExpiry(checks, facts) },
    isProven: task && (await checks.pool.verify(task, claim.callers)),
  }
}

/** A decoded proof, and whom it counts for. */
type Claim = DecodedProof4 & {
  environment: 'production' | 'staging'
  callers: readonly string[]
}

function claimOf({ isStaging, callers }: SubmittedProof4, decoded: DecodedProof4): Claim {
  return { ...decoded, environment: isStaging ? 'staging' : 'production', callers }
}

/**
 * Returns the first reason to refuse a proof, or null. Reads the keys only for a valid root, so that a proof with an invented
 * root costs one call of the chain. The keys are in memory for most proofs.
 */
async function findFailure(checks: Checks4, claim: Claim): Promise<Reason4 | null> {
  const settings = await readVerifierSettings(checks, claim)
  if (!(await readRoot(checks, claim, settings))) return 'invalid_root'
  const facts = { settings, ...(await readKeys(checks, claim, settings)) }
  if (facts.issuerKey === null) return 'invalid_credential_issuer'
  const task = pairingTask(checks, claim, facts)
  if (task === null) return 'invalid_rp'
  if (!isRecent(checks, claim, facts)) return 'outdated_nullifier'
  return (await checks.pool.verify(task, claim.callers)) ? null : 'invalid_proof'
}

function readVerifierSettings({ facts, verifiers }: Checks4, { environment, callers }: Claim) {
  return facts.settings(verifiers[environment], callers)
}

function readRoot({ facts }: Checks4, { numbers, callers }: Claim, settings: VerifierSettings) {
  return facts.isValidRoot(settings.worldIdRegistry, numbers.words[4], callers)
}

async function readKeys(
  { facts }: Checks4,
  { numbers, callers }: Claim,
  settings: VerifierSettings,
) {
  const [issuerKey, oprfKey] = await Promise.all([
    facts.issuerKey(settings.issuerRegistry, numbers.issuerSchemaId, callers),
    facts.oprfKey(settings.oprfKeyRegistry, numbers.rpId, callers),
  ])
  return { issuerKey, oprfKey }
}

/** The settings of the verifier contract, and the keys of the issuer and of the relying party. */
type FactsOfProof = { settings: VerifierSettings } & Awaited<ReturnType<typeof readKeys>>

/** Returns null without the keys of the issuer and of the relying party, which are public signals. */
function pairingTask(
  { keys }: Checks4,
  { proof, numbers, environment }: Claim,
  { settings: { treeDepth }, issuerKey, oprfKey }: FactsOfProof,
): VerificationTask | null {
  if (issuerKey === null || oprfKey === null) return null
  const merkleRoot = numbers.words[4]
  const signals = protocol4Signals({ ...numbers, merkleRoot, treeDepth, issuerKey, oprfKey })
  return { keyNames: keys[environment], proof, signals }
}

/** True if the proof shows that the credential was valid recently. The contract adds both numbers as a uint64. */
function isRecent(checks: Checks4, { numbers: { expiresAtMin } }: Claim, facts: FactsOfProof) {
  const { minExpirationThreshold } = facts.settings
  const fits = expiresAtMin + minExpirationThreshold < 1n << 64n
  return fits && expiresAtMin >= oldestExpiry(checks, facts)
}

function oldestExpiry({ now }: Checks4, { settings }: FactsOfProof): bigint {
  return BigInt(now()) - settings.minExpirationThreshold
}
