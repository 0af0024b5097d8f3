import { ApiError } from '../../runtime/errors.ts'
import type { Sdk } from '../generated/sdk.ts'

/** Finds the addresses of the groups' contracts. */
export type GroupAddresses = {
  /**
   * The address of a group's contract, by its name.
   *
   * @throws unavailable when the name service does not know it
   */
  find(name: string): Promise<string>
  /**
   * Asks the name service for the addresses of all groups, and stores them if it knows every one.
   *
   * @returns the names that the name service does not know
   */
  refresh(): Promise<string[]>
}

type Services = {
  graphql: Pick<Sdk, 'GroupAddress' | 'StoreGroupAddresses'>
  /** The names of all groups. */
  names: readonly string[]
  /** Asks the name service for an address; null when it does not know the name. */
  resolve: (name: string) => Promise<string | null>
  /** Milliseconds since the epoch. */
  now: () => number
}

/** How long an address is remembered before it is read from the database again. */
const MAX_REMEMBERED_MS = 10_000

/**
 * Looks an address up in memory, then in the database, then in the name service, whose answer is stored for all
 * instances.
 */
export function createGroupAddresses({ graphql, names, resolve, now }: Services): GroupAddresses {
  const remembered = new Map<string, { address: string; until: number }>()

  return {
    async find(name) {
      const known = remembered.get(name)
      if (known && known.until > now()) return known.address
      const address = await lookup(name)
      remembered.set(name, { address, until: now() + MAX_REMEMBERED_MS })
      return address
    },
    async refresh() {
      const found = await Promise.all(names.map(resolveOrNull))
      const known = found.flatMap(({ key, value }) => (value ? { key, value } : []))
      if (known.length < found.length)
        return found.filter(({ value }) => !value).map(({ key }) => key)
      await graphql.StoreGroupAddresses({ addresses: known })
      remembered.clear()
      return []
    },
  }

  async function lookup(name: string): Promise<string> {
    const { cache_by_pk: cached } = await graphql.GroupAddress({ name })
    if (cached) return cached.value
    const address = await resolve(name)
    if (!address) throw new ApiError('unavailable', { cause: new Error(`no address for ${name}`) })
    await graphql.StoreGroupAddresses({ addresses: [{ key: name, value: address }] })
    return address
  }

  /** The answer of the name service; null as well when it does not answer. */
  async function resolveOrNull(name: string) {
    return { key: name, value: await resolve(name).catch(() => null) }
  }
}
