import { ApiError } from '../../runtime/errors.ts'
import type { Sdk } from '../generated/sdk.ts'

/** Finds the addresses of the groups' contracts. */
export type GroupAddresses = {
  /**
   * Finds the address of a group's contract.
   *
   * @throws unavailable if the name service does not know the name
   */
  find(name: string): Promise<string>
  /**
   * Asks the name service for the addresses of all groups, and stores them if all are known.
   *
   * @returns the names without an address: unknown names, and names for which the name service did not answer
   */
  refresh(): Promise<string[]>
}

type Services = {
  graphql: Pick<Sdk, 'GroupAddress' | 'StoreGroupAddresses'>
  /** The names of all groups. */
  names: readonly string[]
  /** Asks the name service for an address; returns null for an unknown name. */
  resolve: (name: string) => Promise<string | null>
  /** Milliseconds since the epoch. */
  now: () => number
}

/** How long an address is cached before it is read from the database again. */
const CACHE_MS = 10_000

/**
 * Creates the lookup of addresses: in the cache, then in the database, then in the name service. Stores an address from
 * the name service in the database, for all instances.
 */
export function createGroupAddresses({ graphql, names, resolve, now }: Services): GroupAddresses {
  const cache = new Map<string, { address: string; until: number }>()

  return {
    async find(name) {
      const entry = cache.get(name)
      if (entry && entry.until > now()) return entry.address
      const address = await lookup(name)
      cache.set(name, { address, until: now() + CACHE_MS })
      return address
    },
    async refresh() {
      const entries = await Promise.all(names.map(resolveOrNull))
      const addresses = entries.flatMap(({ key, value }) => (value ? { key, value } : []))
      if (addresses.length < entries.length)
        return entries.filter(({ value }) => !value).map(({ key }) => key)
      await graphql.StoreGroupAddresses({ addresses })
      cache.clear()
      return []
    },
  }

  async function lookup(name: string): Promise<string> {
    const { cache_by_pk: row } = await graphql.GroupAddress({ name })
    if (row) return row.value
    const address = await resolve(name)
    if (!address) throw new ApiError('unavailable', { cause: new Error(`no address for ${name}`) })
    await graphql.StoreGroupAddresses({ addresses: [{ key: name, value: address }] })
    return address
  }

  /** Returns null as the value of an unknown name, and also if the name service does not answer. */
  async function resolveOrNull(name: string) {
    return { key: name, value: await resolve(name).catch(() => null) }
  }
}
