import { formatField, parseField, parseProof } from '../../proof/encoding.ts'
import type { Scope } from '../../proof/scope.ts'
import type { VerificationLevel } from '../../proof/verification-level.ts'
import {
  checkRoot,
  findGroupsOfRoot,
  type GroupOfEnvironment,
  type RootAge,
  type RootQuery,
  type RootServices,
} from '../roots/check-root.ts'
import type { VerificationTask } from '../threads/checked-verifier.ts'
import type { MeasuredPool } from '../threads/measured-pool.ts'

/** A proof as the caller sent it, and its scope. */
export type SubmittedProof = {
  proof: string
  nullifierHash: string
  merkleRoot: string
  signalHash: string
  /** The service computes the scope; the client cannot choose it. */
  scope: Scope
  isStaging: boolean
  /** The verification level that the root's group must prove; undefined if the request names no level. */
  level?: VerificationLevel | undefined
  /** The caller's limit for the age of a superseded root; only a limit below the service's own has an effect. */
  maxAgeSeconds?: number | undefined
  /**
   * The callers that this request counts for, like the app and the sender's address. They share threads and chain
   * fairly.
   */
  callers: readonly string[]
}

export type Verdict =
  | { valid: true; nullifierHash: string }
  | { valid: false; reason: Reason; attribute?: string }

type Reason = 'invalid_format' | 'invalid_merkle_root' | 'root_too_old' | 'invalid_proof'

/** The result of each check of a proof. */
export type Examination = {
  /** The names, as in the request, of the fields that cannot be decoded. */
  unreadable: string[]
  /** Null if the root cannot be decoded. */
  root: ExaminedRoot | null
  /** True if the pairing holds; null if a field cannot be decoded. */
  isProven: boolean | null
}

type ExaminedRoot = RootAge | { age: 'unknown'; groups: GroupOfEnvironment[] }

export type CheckServices = RootServices & {
  pool: Pick<MeasuredPool, 'verify'>
  /** Names of verification keys. `legacy` has the keys of the first protocol, for production and staging. */
  keys: Record<'production' | 'staging' | 'legacy', readonly string[]>
}

/**
 * Decodes a proof, looks up its root in the groups that prove the level, checks the root's age, and verifies the
 * pairing. Stops at the first failure. Every proof is checked by this function or by `examineProof`.
 *
 * @throws if a dependency does not answer, so that no verdict is possible
 */
export async function verifyProof(
  services: CheckServices,
  submitted: SubmittedProof,
): Promise<Verdict> {
  const decoded = decode(submitted)
  const task = pairingTask(services, submitted, decoded)
  const { merkle_root: merkleRoot, nullifier_hash: nullifierHash } = decoded
  if (task === null || merkleRoot === null || nullifierHash === null)
    return invalidVerdict('invalid_format', unreadableFields(decoded)[0])
  const { age } = await checkRoot(services, rootQuery(submitted, merkleRoot))
  if (age === 'unknown') return invalidVerdict('invalid_merkle_root', 'merkle_root')
  if (age === 'too_old') return invalidVerdict('root_too_old', 'merkle_root')
  if (!(await services.pool.verify(task, submitted.callers))) return invalidVerdict('invalid_proof')
  return { valid: true, nullifierHash: formatField(nullifierHash) }
}

/** Runs all checks of `verifyProof`, even after a failure, for a developer who debugs a proof. */
export async function examineProof(
  services: CheckServices,
  submitted: SubmittedProof,
): Promise<Examination> {
  const decoded = decode(submitted)
  const { merkle_root: merkleRoot } = decoded
  const task = pairingTask(services, submitted, decoded)
  return {
    unreadable: unreadableFields(decoded),
    root: merkleRoot === null ? null : await examineRoot(services, submitted, merkleRoot),
    isProven: task && (await services.pool.verify(task, submitted.callers)),
  }
}

/** Decodes the fields of a proof to numbers and points; a field that cannot be decoded becomes null. */
function decode(submitted: SubmittedProof) {
  return {
    proof: parseProof(submitted.proof),
    nullifier_hash: parseField(submitted.nullifierHash),
    merkle_root: parseField(submitted.merkleRoot),
    signal_hash: parseField(submitted.signalHash),
  }
}

type Decoded = ReturnType<typeof decode>

function unreadableFields(decoded: Decoded): string[] {
  return Object.entries(decoded).flatMap(([name, value]) => (value === null ? [name] : []))
}

/** Returns null if a field cannot be decoded. */
function pairingTask(
  { keys }: CheckServices,
  { scope, ...submitted }: SubmittedProof,
  decoded: Decoded,
): VerificationTask | null {
  const { proof, nullifier_hash: nullifier, merkle_root: root, signal_hash: signal } = decoded
  if (proof === null || nullifier === null || root === null || signal === null) return null
  const keyNames = keys[scope.isLegacy ? 'legacy' : environmentOf(submitted)]
  return { keyNames, proof, signals: [root, nullifier, signal, scope.externalNullifier] }
}

function environmentOf({ isStaging }: Pick<SubmittedProof, 'isStaging'>) {
  return isStaging ? 'staging' : 'production'
}

function rootQuery(submitted: SubmittedProof, root: bigint): RootQuery {
  const { level, maxAgeSeconds, callers } = submitted
  return { root, environment: environmentOf(submitted), level, maxAgeSeconds, callers }
}

async function examineRoot(
  services: CheckServices,
  submitted: SubmittedProof,
  merkleRoot: bigint,
): Promise<ExaminedRoot> {
  const query = rootQuery(submitted, merkleRoot)
  const root = await checkRoot(services, query)
  if (root.age !== 'unknown') return root
  return { age: 'unknown', groups: await findGroupsOfRoot(services, query) }
}

function invalidVerdict(reason: Reason, attribute?: string): Verdict {
  return { valid: false, reason, ...(attribute && { attribute }) }
}
