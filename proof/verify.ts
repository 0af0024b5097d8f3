import { formatField, parseField, parseProof } from './encoding.ts'
import type { Groth16Pool } from './groth16-pool.ts'
import { judgeRootAge } from './root-age.ts'
import type { RootLookup } from './root-lookup.ts'
import type { Scope } from './scope.ts'

/** A proof as it was sent, and what the service itself knows about its purpose. */
export type Claim = {
  proof: string
  nullifierHash: string
  merkleRoot: string
  signalHash: string
  /** Computed by the service and never taken from the client. */
  scope: Scope
  isStaging: boolean
  /** How long ago the root may have been superseded; the service's own limit if undefined. */
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
  /** Names of keys; `legacy` has those of the first protocol, for production and staging alike. */
  keys: Record<'production' | 'staging' | 'legacy', readonly string[]>
  maxAgeSeconds: number
  /** Seconds since the epoch. */
  now: () => number
}

/**
 * The only way in which a proof is checked: decode it, look up its root, judge the root's age, verify the pairing.
 *
 * If a dependency does not answer, `verify` throws: that is never a verdict.
 */
export function createVerifier({ groth16, roots, keys, maxAgeSeconds, now }: Services): Verifier {
  return {
    async verify(claim) {
      const decoded = decodeClaim(claim)
      if (decoded.kind === 'malformed') return invalidVerdict('invalid_format', decoded.attribute)
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
