import type { RootRecord } from '../../chain/group-contract.ts'
import type { VerificationLevel } from '../../proof/verification-level.ts'
import type { Environment, ProvingGroup, ProvingGroups } from './proving-groups.ts'
import type { RootLookup } from './root-lookup.ts'

export type RootServices = {
  roots: RootLookup
  groups: ProvingGroups
  /** How long the service accepts a superseded root, in seconds. */
  maxAgeSeconds: number
  /** Seconds since the epoch. */
  now: () => number
}

/** A root, and the requirements for its group and its age. */
export type RootQuery = {
  root: bigint
  environment: Environment
  /** The level that the group must prove; undefined for any level. */
  level: VerificationLevel | undefined
  /** The caller's own limit; only a limit below the service's has an effect. */
  maxAgeSeconds: number | undefined
  callers: readonly string[]
}

/** The age of a root. `supersededAt` is in seconds since the epoch, and null for the latest root. */
export type RootAge = {
  age: 'fresh' | 'too_old'
  supersededAt: number | null
  maxAgeSeconds: number
}

/** A group, and the environment that accepts it. */
export type GroupOfEnvironment = ProvingGroup & { environment: Environment }

/** Looks up a root in the groups that prove the level, and checks its age. */
export async function checkRoot(
  services: RootServices,
  query: RootQuery,
): Promise<RootAge | { age: 'unknown' }> {
  const root = await findRoot(services, query)
  const maxAgeSeconds = Math.min(
    query.maxAgeSeconds ?? services.maxAgeSeconds,
    services.maxAgeSeconds,
  )
  const age = checkRootAge(root, { now: services.now(), maxAgeSeconds })
  if (!root.isKnown || age === 'unknown') return { age: 'unknown' }
  return { age, supersededAt: root.supersededAt, maxAgeSeconds }
}

/** Returns the root's record. If several groups know the root, the record of the group that superseded it last wins. */
async function findRoot(
  { roots, groups }: RootServices,
  { root, environment, level, callers }: RootQuery,
): Promise<RootRecord> {
  const provingGroups = groups[environment].filter(({ levels }) => !level || levels.has(level))
  const records = await Promise.all(
    provingGroups.map(({ name }) => roots.find(name, root, callers)),
  )
  const foundRecords = records.filter((record) => record.isKnown)
  const supersededAt = ({ supersededAt: at }: { supersededAt: number | null }) =>
    at ?? Number.POSITIVE_INFINITY
  return foundRecords.toSorted((a, b) => supersededAt(b) - supersededAt(a))[0] ?? { isKnown: false }
}

/**
 * Checks the age of a root. The age counts from the time when the root was superseded, so the latest root is never too
 * old.
 *
 * @param now seconds since the epoch
 */
export function checkRootAge(
  root: RootRecord,
  { now, maxAgeSeconds }: { now: number; maxAgeSeconds: number },
): 'fresh' | 'unknown' | 'too_old' {
  if (!root.isKnown) return 'unknown'
  if (root.supersededAt === null) return 'fresh'
  return now - root.supersededAt > maxAgeSeconds ? 'too_old' : 'fresh'
}

/** Returns all groups that know a root, of both environments and all levels. */
export async function findGroupsOfRoot(
  { roots, groups }: RootServices,
  { root, callers }: Pick<RootQuery, 'root' | 'callers'>,
): Promise<GroupOfEnvironment[]> {
  const all = (['production', 'staging'] as const).flatMap((environment) =>
    groups[environment].map((group) => ({ ...group, environment })),
  )
  const records = await Promise.all(all.map(({ name }) => roots.find(name, root, callers)))
  return all.filter((_, index) => records[index]?.isKnown)
}
