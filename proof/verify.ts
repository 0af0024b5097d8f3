import { formatField, parseField, parseProof } from './encoding.ts'
import type { Groth16Pool } from './groth16-pool.ts'
import { judgeRootAge } from './root-age.ts'
import type { RootLookup } from './root-lookup.ts'
import type { Scope } from './scope.ts'

/** A proof as it was sent, and what the service itself knows of its purpose. */
export type Claim = {
  proof: string
  nullifierHash: string
  merkleRoot: string
  signalHash: string
  /** Computed by the service, never taken from the caller. */
  scope: Scope
  isStaging: boolean
  /** How long ago a root may have been superseded; the service's own limit when undefined. */
  maxAgeSeconds?: number | undefined
}

export type Verdict =
  | { valid: true; nullifierHash: string }
  | { valid: false; reason: Reason; attribute?: string }

type Reason = 'invalid_format' | 'invalid_merkle_root' | 'root_too_old' | 'invalid_proof'

export type Verifier = { verify(claim: Claim): Promise<Verdict> }

type Services = {
  groth16: Pick<Groth16Pool, 'verify'>
  roots: RootLookup
  /** Names of keys; `legacy` are those of the first protocol, for production and staging alike. */
  keys: Record<'production' | 'staging' | 'legacy', readonly string[]>
  maxAgeSeconds: number
  /** Seconds since the epoch. */
  now: () => number
}

/**
 * The one way to check a proof: decode, find the root, judge its age, verify.
 *
 * A dependency that does not answer makes it throw; that is never a verdict.
 */
export function createVerifier({ groth16, roots, keys, maxAgeSeconds, now }: Services): Verifier {
  return {
    async verify(claim) {
      const decoded = decodeClaim(claim)
      if ('malformed' in decoded) return invalidVerdict('invalid_format', decoded.malformed)
      const { proof, nullifierHash, merkleRoot, signalHash } = decoded
      const group = claim.isStaging ? 'staging' : 'production'
      const root = await roots.find(group, merkleRoot)
      const age = judgeRootAge(root, {
        now: now(),
        maxAgeSeconds: claim.maxAgeSeconds ?? maxAgeSeconds,
      })
      if (age === 'unknown') return invalidVerdict('invalid_merkle_root', 'merkle_root')
      if (age === 'too_old') return invalidVerdict('root_too_old', 'merkle_root')
      const { externalNullifier, isLegacy } = claim.scope
      const signals = [merkleRoot, nullifierHash, signalHash, externalNullifier] as const
      const keyNames = keys[isLegacy ? 'legacy' : group]
      if (!(await groth16.verify(keyNames, proof, signals))) return invalidVerdict('invalid_proof')
      return { valid: true, nullifierHash: formatField(nullifierHash) }
    },
  }
}

function decodeClaim(claim: Claim) {
  const proof = parseProof(claim.proof)
  if (proof === null) return { malformed: 'proof' }
  const nullifierHash = parseField(claim.nullifierHash)
  if (nullifierHash === null) return { malformed: 'nullifier_hash' }
  const merkleRoot = parseField(claim.merkleRoot)
  if (merkleRoot === null) return { malformed: 'merkle_root' }
  const signalHash = parseField(claim.signalHash)
  if (signalHash === null) return { malformed: 'signal_hash' }
  return { proof, nullifierHash, merkleRoot, signalHash }
}

function invalidVerdict(reason: Reason, attribute?: string): Verdict {
  return { valid: false, reason, ...(attribute && { attribute }) }
}
