import { formatField, parseField, parseProof } from '../../proof/encoding.ts'
import type { Scope } from '../../proof/scope.ts'
import type { ProvingGroup, VerificationLevel } from '../../proof/verification-level.ts'
import { judgeRootAge } from '../roots/root-age.ts'
import type { Root, RootLookup } from '../roots/root-lookup.ts'
import type { Groth16Pool } from '../threads/groth16-pool.ts'

/** A proof as it was sent, and what the service itself knows about its purpose. */
export type Claim = {
  proof: string
  nullifierHash: string
  merkleRoot: string
  signalHash: string
  /** Computed by the service and never taken from the client. */
  scope: Scope
  isStaging: boolean
  /**
   * The level at which the person claims to be verified, which the root's group must prove; undefined if none is
   * claimed.
   */
  level?: VerificationLevel | undefined
  /** How long ago the root may have been superseded, where the caller wants less than the service's own limit. */
  maxAgeSeconds?: number | undefined
  /** Whose share of the threads and of the chain the check takes, such as the app and the address that sent it. */
  callers: readonly string[]
}

export type Verdict =
  | { valid: true; nullifierHash: string }
  | { valid: false; reason: Reason; attribute?: string }

type Reason = 'invalid_format' | 'invalid_merkle_root' | 'root_too_old' | 'invalid_proof'

/** What there is to say about each part of a claim, whatever the others are. */
export type Examination = {
  /** The fields that cannot be read, by their names on the wire. */
  unreadable: string[]
  /** Null when the root cannot be read. */
  root: ExaminedRoot | null
  /** Whether the pairing holds; null when there is a field that cannot be read. */
  isProven: boolean | null
}

/** Seconds; `supersededAt` since the epoch, and null for the latest root. */
type KnownRoot = {
  age: 'fresh' | 'too_old'
  supersededAt: number | null
  maxAgeSeconds: number
}

type ExaminedRoot = KnownRoot | { age: 'unknown'; knownTo: GroupOfEnvironment[] }

/** A group that knows a root which those that a claim needs do not know. */
export type GroupOfEnvironment = ProvingGroup & { environment: Environment }

type Environment = 'production' | 'staging'

/** What the threads need to check a proof. */
export type Groth16Task = Parameters<Groth16Pool['verify']>

export type Verifier = {
  /** Stops at the first thing that is wrong. */
  verify(claim: Claim): Promise<Verdict>
  /** Takes the same steps, and goes on where one fails: for people who look for what is wrong. */
  examine(claim: Claim): Promise<Examination>
}

type Services = {
  groth16: {
    /** See `Groth16Pool`; a check waits while others have used less of the threads than its callers. */
    verify(task: Groth16Task, callers: Claim['callers']): Promise<boolean>
  }
  roots: RootLookup
  /** The groups of each environment; a root may be of any that proves the claimed level. */
  groups: Record<Environment, readonly ProvingGroup[]>
  /** Names of keys; `legacy` has those of the first protocol, for production and staging alike. */
  keys: Record<'production' | 'staging' | 'legacy', readonly string[]>
  maxAgeSeconds: number
  /** Seconds since the epoch. */
  now: () => number
}

/**
 * The only way in which a proof is checked: decode it, look up its root in the groups that prove the
 * claimed level, judge the root's age, verify the pairing.
 *
 * If a dependency does not answer, `verify` throws: that is never a verdict.
 */
export function createVerifier(services: Services): Verifier {
  const { groth16 } = services
  return {
    async verify(claim) {
      const decoded = decodeClaim(claim)
      const task = pairingTask(services, claim, decoded)
      if (!task) return invalidVerdict('invalid_format', unreadableFields(decoded)[0])
      const [, , [merkleRoot, nullifierHash]] = task
      const { age } = await judgeRoot(services, claim, merkleRoot)
      if (age === 'unknown') return invalidVerdict('invalid_merkle_root', 'merkle_root')
      if (age === 'too_old') return invalidVerdict('root_too_old', 'merkle_root')
      if (!(await groth16.verify(task, claim.callers))) return invalidVerdict('invalid_proof')
      return { valid: true, nullifierHash: formatField(nullifierHash) }
    },
    async examine(claim) {
      const decoded = decodeClaim(claim)
      const { merkle_root: merkleRoot } = decoded
      const task = pairingTask(services, claim, decoded)
      return {
        unreadable: unreadableFields(decoded),
        root: merkleRoot === null ? null : await examineRoot(services, claim, merkleRoot),
        isProven: task && (await groth16.verify(task, claim.callers)),
      }
    },
  }
}

/** The members of a claim as numbers and points, by their names on the wire; null for each that cannot be read. */
function decodeClaim(claim: Claim) {
  return {
    proof: parseProof(claim.proof),
    nullifier_hash: parseField(claim.nullifierHash),
    merkle_root: parseField(claim.merkleRoot),
    signal_hash: parseField(claim.signalHash),
  }
}

type Decoded = ReturnType<typeof decodeClaim>

function unreadableFields(decoded: Decoded): string[] {
  return Object.entries(decoded).flatMap(([name, value]) => (value === null ? [name] : []))
}

/** Null when there is a field that cannot be read. */
function pairingTask({ keys }: Services, claim: Claim, decoded: Decoded): Groth16Task | null {
  const { proof, nullifier_hash: nullifier, merkle_root: root, signal_hash: signal } = decoded
  if (proof === null || nullifier === null || root === null || signal === null) return null
  const { externalNullifier, isLegacy } = claim.scope
  const keyNames = keys[isLegacy ? 'legacy' : environmentOf(claim)]
  return [keyNames, proof, [root, nullifier, signal, externalNullifier]]
}

function environmentOf({ isStaging }: Claim): Environment {
  return isStaging ? 'staging' : 'production'
}

/** Judges a root by what the groups that prove the claimed level know about it. */
async function judgeRoot(
  services: Services,
  claim: Claim,
  merkleRoot: bigint,
): Promise<KnownRoot | { age: 'unknown' }> {
  const { level, callers } = claim
  const root = await findRoot(services, environmentOf(claim), { root: merkleRoot, level, callers })
  const maxAgeSeconds = Math.min(
    claim.maxAgeSeconds ?? services.maxAgeSeconds,
    services.maxAgeSeconds,
  )
  const age = judgeRootAge(root, { now: services.now(), maxAgeSeconds })
  if (!root.known || age === 'unknown') return { age: 'unknown' }
  return { age, supersededAt: root.supersededAt, maxAgeSeconds }
}

type Wanted = { root: bigint; level: VerificationLevel | undefined; callers: Claim['callers'] }

/**
 * What the groups that prove the claimed level know about a root; if several know it, the group that superseded it
 * last.
 */
async function findRoot(
  { roots, groups }: Services,
  environment: Environment,
  { root, level, callers }: Wanted,
): Promise<Root> {
  const proving = groups[environment].filter(({ levels }) => !level || levels.has(level))
  const found = await Promise.all(proving.map(({ name }) => roots.find(name, root, callers)))
  const known = found.filter((one) => one.known)
  const supersededAt = ({ supersededAt: at }: { supersededAt: number | null }) =>
    at ?? Number.POSITIVE_INFINITY
  return known.toSorted((a, b) => supersededAt(b) - supersededAt(a))[0] ?? { known: false }
}

async function examineRoot(
  services: Services,
  claim: Claim,
  merkleRoot: bigint,
): Promise<ExaminedRoot> {
  const root = await judgeRoot(services, claim, merkleRoot)
  if (root.age !== 'unknown') return root
  return { age: 'unknown', knownTo: await groupsThatKnow(services, claim, merkleRoot) }
}

/** All groups that know a root, those of the other environment and of other levels included. */
async function groupsThatKnow(
  { roots, groups }: Services,
  { callers }: Claim,
  root: bigint,
): Promise<GroupOfEnvironment[]> {
  const all = (['production', 'staging'] as const).flatMap((environment) =>
    groups[environment].map((group) => ({ ...group, environment })),
  )
  const found = await Promise.all(all.map(({ name }) => roots.find(name, root, callers)))
  return all.filter((_, index) => found[index]?.known)
}

function invalidVerdict(reason: Reason, attribute?: string): Verdict {
  return { valid: false, reason, ...(attribute && { attribute }) }
}
