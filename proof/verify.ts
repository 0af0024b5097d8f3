import { formatField, parseField, parseProof } from './encoding.ts'
import type { Groth16Pool } from './groth16-pool.ts'
import { judgeRootAge } from './root-age.ts'
import type { Root, RootLookup } from './root-lookup.ts'
import type { Scope } from './scope.ts'
import type { ProvingGroup, VerificationLevel } from './verification-level.ts'

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
  level?: VerificationLevel
  /** How long ago the root may have been superseded, where the caller wants less than the service's own limit. */
  maxAgeSeconds?: number | undefined
  /** Whose share of the threads and of the chain the check takes, such as the app and the address that sent it. */
  callers: readonly string[]
}

export type Verdict =
  | { valid: true; nullifierHash: string }
  | { valid: false; reason: Reason; attribute?: string }

type Reason = 'invalid_format' | 'invalid_merkle_root' | 'root_too_old' | 'invalid_proof'

/** What the threads need to check a proof. */
export type Groth16Task = Parameters<Groth16Pool['verify']>

export type Verifier = { verify(claim: Claim): Promise<Verdict> }

type Services = {
  groth16: {
    /** See `Groth16Pool`; a check waits while others have used less of the threads than its callers. */
    verify(task: Groth16Task, callers: Claim['callers']): Promise<boolean>
  }
  roots: RootLookup
  /** The groups of each environment; a root may be of any that proves the claimed level. */
  groups: Record<'production' | 'staging', readonly ProvingGroup[]>
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
  const { groth16, keys, maxAgeSeconds, now } = services
  return {
    async verify(claim) {
      const decoded = decodeClaim(claim)
      if (decoded.kind === 'malformed') return invalidVerdict('invalid_format', decoded.attribute)
      const { proof, nullifierHash, merkleRoot, signalHash } = decoded
      const environment = claim.isStaging ? 'staging' : 'production'
      const wanted = { root: merkleRoot, level: claim.level, callers: claim.callers }
      const root = await findRoot(services, environment, wanted)
      const age = judgeRootAge(root, {
        now: now(),
        maxAgeSeconds: Math.min(claim.maxAgeSeconds ?? maxAgeSeconds, maxAgeSeconds),
      })
      if (age === 'unknown') return invalidVerdict('invalid_merkle_root', 'merkle_root')
      if (age === 'too_old') return invalidVerdict('root_too_old', 'merkle_root')
      const { externalNullifier, isLegacy } = claim.scope
      const signals = [merkleRoot, nullifierHash, signalHash, externalNullifier] as const
      const keyNames = keys[isLegacy ? 'legacy' : environment]
      const task: Groth16Task = [keyNames, proof, signals]
      if (!(await groth16.verify(task, claim.callers))) return invalidVerdict('invalid_proof')
      return { valid: true, nullifierHash: formatField(nullifierHash) }
    },
  }
}

type Wanted = { root: bigint; level: VerificationLevel | undefined; callers: Claim['callers'] }

/**
 * What the groups that prove the claimed level know about a root; if several know it, the group that superseded it
 * last.
 */
async function findRoot(
  { roots, groups }: Services,
  environment: 'production' | 'staging',
  { root, level, callers }: Wanted,
): Promise<Root> {
  const proving = groups[environment].filter(({ levels }) => !level || levels.has(level))
  const found = await Promise.all(proving.map(({ name }) => roots.find(name, root, callers)))
  const known = found.filter((one) => one.known)
  const supersededAt = ({ supersededAt: at }: { supersededAt: number | null }) =>
    at ?? Number.POSITIVE_INFINITY
  return known.toSorted((a, b) => supersededAt(b) - supersededAt(a))[0] ?? { known: false }
}

/** The members of a claim as numbers and points, or the name of the first one that cannot be read. */
function decodeClaim(claim: Claim) {
  const proof = parseProof(claim.proof)
  if (proof === null) return malformed('proof')
  const nullifierHash = parseField(claim.nullifierHash)
  if (nullifierHash === null) return malformed('nullifier_hash')
  const merkleRoot = parseField(claim.merkleRoot)
  if (merkleRoot === null) return malformed('merkle_root')
  const signalHash = parseField(claim.signalHash)
  if (signalHash === null) return malformed('signal_hash')
  return { kind: 'decoded', proof, nullifierHash, merkleRoot, signalHash } as const
}

function malformed(attribute: string) {
  return { kind: 'malformed', attribute } as const
}

function invalidVerdict(reason: Reason, attribute?: string): Verdict {
  return { valid: false, reason, ...(attribute && { attribute }) }
}
