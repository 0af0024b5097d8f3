import type { RootRecord } from '../../chain/group-contract.ts'
import type { VerificationLevel } from '../../proof/verification-level.ts'
import type { Environment, ProvingGroup, ProvingGroups } from './proving-groups.ts'
import type { RootLookup } from './root-lookup.ts'

export type RootServices = {
  roots: RootLookup
  groups: ProvingGroups
  /** The oldest superseded root that the service accepts, in seconds. */
  maxAgeSeconds: number
  /** Seconds since the epoch. */
  now: () => number
}

/** A root, and the requirements for its group and its age. */
export type RootToJudge = {
  root: bigint
  environment: Environment
  /** The level that the group must prove; undefined for any level. */
  level: VerificationLevel | undefined
  /** The caller's own limit; only a limit below the service's has an effect. */
  maxAgeSeconds: number | undefined
  callers: readonly string[]
}

/** The age of a root. `supersededAt` is in seconds since the epoch, and null for the latest root. */
export type KnownRoot = {
  age: 'fresh' | 'too_old'
  supersededAt: number | null
  maxAgeSeconds: number
}

/** A group, and the environment that accepts it. */
export type GroupOfEnvironment = ProvingGroup & { environment: Environment }

/** Looks up a root in the groups that prove the level, and judges its age. */
export async function judgeRoot(
  services: RootServices,
  query: RootToJudge,
): Promise<KnownRoot | { age: 'unknown' }> {
  const root = await findRoot(services, query)
  const maxAgeSeconds = Math.min(
    query.maxAgeSeconds ?? services.maxAgeSeconds,
    services.maxAgeSeconds,
  )
  const age = judgeRootAge(root, { now: services.now(), maxAgeSeconds })
  if (!root.known || age === 'unknown') return { age: 'unknown' }
  return { age, supersededAt: root.supersededAt, maxAgeSeconds }
}

/** Returns the root's record. If several groups know the root, the record of the group that superseded it last wins. */
async function findRoot(
  { roots, groups }: RootServices,
  { root, environment, level, callers }: RootToJudge,
): Promise<RootRecord> {
  const proving = groups[environment].filter(({ levels }) => !level || levels.has(level))
  const records = await Promise.all(proving.map(({ name }) => roots.find(name, root, callers)))
  const knownRecords = records.filter((record) => record.known)
  const supersededAt = ({ supersededAt: at }: { supersededAt: number | null }) =>
    at ?? Number.POSITIVE_INFINITY
  return knownRecords.toSorted((a, b) => supersededAt(b) - supersededAt(a))[0] ?? { known: false }
}

/**
 * Judges the age of a root. The age counts from the time when the root was superseded, so the latest root is never too old.
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

/** Returns all groups that know a root, of both environments and all levels. */
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
