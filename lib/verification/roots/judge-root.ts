import type { RootRecord } from '../../chain/group-contract.ts'
import type { VerificationLevel } from '../../proof/verification-level.ts'
import type { Environment, ProvingGroup, ProvingGroups } from './proving-groups.ts'
import type { RootLookup } from './root-lookup.ts'

export type RootServices = {
  roots: RootLookup
  groups: ProvingGroups
  /** The age, in seconds, up to which the service accepts a superseded root. */
  maxAgeSeconds: number
  /** Seconds since the epoch. */
  now: () => number
}

/** A root, and the groups that must know the root for a proof to count. */
export type RootToJudge = {
  root: bigint
  environment: Environment
  /** The level that the group must prove; undefined if any level will do. */
  level: VerificationLevel | undefined
  /** A stricter limit than that of the service. */
  maxAgeSeconds: number | undefined
  callers: readonly string[]
}

/** Seconds; `supersededAt` since the epoch, and null for the latest root. */
export type KnownRoot = {
  age: 'fresh' | 'too_old'
  supersededAt: number | null
  maxAgeSeconds: number
}

/** A group that knows a root which the required groups do not know. */
export type GroupOfEnvironment = ProvingGroup & { environment: Environment }

/** Judges a root by the groups that prove the level: whether one of them knows the root, and the root's age. */
export async function judgeRoot(
  services: RootServices,
  wanted: RootToJudge,
): Promise<KnownRoot | { age: 'unknown' }> {
  const root = await findRoot(services, wanted)
  const maxAgeSeconds = Math.min(
    wanted.maxAgeSeconds ?? services.maxAgeSeconds,
    services.maxAgeSeconds,
  )
  const age = judgeRootAge(root, { now: services.now(), maxAgeSeconds })
  if (!root.known || age === 'unknown') return { age: 'unknown' }
  return { age, supersededAt: root.supersededAt, maxAgeSeconds }
}

/** Returns the root as its group knows it; if several groups know it, as the group that superseded it last. */
async function findRoot(
  { roots, groups }: RootServices,
  { root, environment, level, callers }: RootToJudge,
): Promise<RootRecord> {
  const proving = groups[environment].filter(({ levels }) => !level || levels.has(level))
  const records = await Promise.all(proving.map(({ name }) => roots.find(name, root, callers)))
  const known = records.filter((record) => record.known)
  const supersededAt = ({ supersededAt: at }: { supersededAt: number | null }) =>
    at ?? Number.POSITIVE_INFINITY
  return known.toSorted((a, b) => supersededAt(b) - supersededAt(a))[0] ?? { known: false }
}

/**
 * Whether a group's root may still be used. Its age counts from when it was superseded, so the latest root is never
 * too old.
 *
 * @param now seconds since the epoch
 */
export function judgeRootAge(
  root: RootRecord,
  { now, maxAgeSeconds }: { now: number; maxAgeSeconds: number },
): 'fresh' | 'unknown' | 'too_old' {
  if (!root.known) return 'unknown'
  if (root.supersededAt === null) return 'fresh'
  return now - root.supersededAt > maxAgeSeconds ? 'too_old' : 'fresh'
}

/** Returns all groups that know a root, including those of the other environment and of other levels. */
export async function groupsThatKnow(
  { roots, groups }: RootServices,
  { root, callers }: Pick<RootToJudge, 'root' | 'callers'>,
): Promise<GroupOfEnvironment[]> {
  const all = (['production', 'staging'] as const).flatMap((environment) =>
    groups[environment].map((group) => ({ ...group, environment })),
  )
  const records = await Promise.all(all.map(({ name }) => roots.find(name, root, callers)))
  return all.filter((_, index) => records[index]?.known)
}
