import { formatField, parseField, parseProof } from '../../proof/encoding.ts'
import type { Scope } from '../../proof/scope.ts'
import type { VerificationLevel } from '../../proof/verification-level.ts'
import {
  type GroupOfEnvironment,
  groupsThatKnow,
  judgeRoot,
  type KnownRoot,
  type RootServices,
  type RootToJudge,
} from '../roots/judge-root.ts'
import type { VerificationTask } from '../threads/checked-verifier.ts'
import type { MeasuredPool } from '../threads/measured-pool.ts'

/** A proof as it was sent, and what the service itself knows about its purpose. */
export type SubmittedProof = {
  proof: string
  nullifierHash: string
  merkleRoot: string
  signalHash: string
  /** Computed by the service and never taken from the client. */
  scope: Scope
  isStaging: boolean
  /** The verification level that the root's group must prove; undefined if the request names none. */
  level?: VerificationLevel | undefined
  /** How long ago the root may have been superseded, where the caller wants less than the service's own limit. */
  maxAgeSeconds?: number | undefined
  /** The callers whose share of the threads and of the chain the check takes, such as the app and the sender's address. */
  callers: readonly string[]
}

export type Verdict =
  | { valid: true; nullifierHash: string }
  | { valid: false; reason: Reason; attribute?: string }

type Reason = 'invalid_format' | 'invalid_merkle_root' | 'root_too_old' | 'invalid_proof'

/** The result of each check of a proof, whatever the other checks found. */
export type Examination = {
  /** The fields that cannot be read, by their names on the wire. */
  unreadable: string[]
  /** Null when the root cannot be read. */
  root: ExaminedRoot | null
  /** Whether the pairing holds; null when a field cannot be read. */
  isProven: boolean | null
}

type ExaminedRoot = KnownRoot | { age: 'unknown'; knownTo: GroupOfEnvironment[] }

export type CheckServices = RootServices & {
  pool: Pick<MeasuredPool, 'verify'>
  /** Names of keys; `legacy` has those of the first protocol, for production and staging alike. */
  keys: Record<'production' | 'staging' | 'legacy', readonly string[]>
}

/**
 * The only way in which a proof is checked: decode the proof, look up its root in the groups that prove the level, judge
 * the root's age, verify the pairing. Stops at the first check that fails.
 *
 * If a dependency does not answer, the function throws: that is never a verdict.
 */
export async function verifyProof(
  services: CheckServices,
  submitted: SubmittedProof,
): Promise<Verdict> {
  const decoded = decode(submitted)
  const task = pairingTask(services, submitted, decoded)
  if (!task) return invalidVerdict('invalid_format', unreadableFields(decoded)[0])
  const [merkleRoot, nullifierHash] = task.signals
  const { age } = await judgeRoot(services, rootToJudge(submitted, merkleRoot))
  if (age === 'unknown') return invalidVerdict('invalid_merkle_root', 'merkle_root')
  if (age === 'too_old') return invalidVerdict('root_too_old', 'merkle_root')
  if (!(await services.pool.verify(task, submitted.callers))) return invalidVerdict('invalid_proof')
  return { valid: true, nullifierHash: formatField(nullifierHash) }
}

/** Makes the same checks, and goes on where one fails: for a developer who looks for what is wrong. */
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

/** The members of a proof as numbers and points, by their names on the wire; null for each that cannot be read. */
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

/** Returns null when a field cannot be read. */
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

function rootToJudge(submitted: SubmittedProof, root: bigint): RootToJudge {
  const { level, maxAgeSeconds, callers } = submitted
  return { root, environment: environmentOf(submitted), level, maxAgeSeconds, callers }
}

async function examineRoot(
  services: CheckServices,
  submitted: SubmittedProof,
  merkleRoot: bigint,
): Promise<ExaminedRoot> {
  const wanted = rootToJudge(submitted, merkleRoot)
  const root = await judgeRoot(services, wanted)
  if (root.age !== 'unknown') return root
  return { age: 'unknown', knownTo: await groupsThatKnow(services, wanted) }
}

function invalidVerdict(reason: Reason, attribute?: string): Verdict {
  return { valid: false, reason, ...(attribute && { attribute }) }
}
