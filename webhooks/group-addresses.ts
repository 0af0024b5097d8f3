import { ApiError } from '../lib/errors.ts'
import type { Sdk } from './generated/sdk.ts'

type Group = 'production' | 'staging'

export type GroupAddresses = { find(group: Group): Promise<string> }

type Services = {
  graphql: Pick<Sdk, 'GroupAddress' | 'StoreGroupAddress'>
  names: Record<Group, string>
  /** The name service; null when it does not know the name. */
  resolve: (name: string) => Promise<string | null>
  /** Milliseconds since the epoch. */
  now: () => number
}

/** How long an address is used before the table is asked again whether it changed. */
const FRESH_MS = 10_000

/**
 * Finds the contract of a group: remembered for seconds, else as cached in the database, else by
 * the name service, whose answer is then cached for all instances.
 *
 * @throws unavailable when nobody knows the address
 */
export function groupAddresses({ graphql, names, resolve, now }: Services): GroupAddresses {
  const remembered = new Map<Group, { address: string; until: number }>()

  return {
    async find(group) {
      const known = remembered.get(group)
      if (known && known.until > now()) return known.address
      const address = await lookup(names[group])
      remembered.set(group, { address, until: now() + FRESH_MS })
      return address
    },
  }

  async function lookup(name: string): Promise<string> {
    const { cache_by_pk: cached } = await graphql.GroupAddress({ name })
    if (cached) return cached.value
    const address = await resolve(name)
    if (!address) throw new ApiError('unavailable', { cause: new Error(`no address for ${name}`) })
    await graphql.StoreGroupAddress({ name, address })
    return address
  }
}
