import { ApiError } from '../lib/errors.ts'
import type { Group } from '../proof/root-lookup.ts'
import type { Sdk } from './generated/sdk.ts'

export type GroupAddresses = {
  /**
   * The address of a group's contract.
   *
   * @throws unavailable when the name service knows none
   */
  find(group: Group): Promise<string>
  /**
   * Asks the name service for all names, and stores its answers if it knows every one.
   *
   * @returns the names that it does not know
   */
  refresh(): Promise<string[]>
}

type Services = {
  graphql: Pick<Sdk, 'GroupAddress' | 'StoreGroupAddresses'>
  names: Record<Group, string>
  /** Asks the name service; null when it does not know the name. */
  resolve: (name: string) => Promise<string | null>
  /** Milliseconds since the epoch. */
  now: () => number
}

/** How long an address is used before it is read from the table again. */
const MAX_REMEMBERED_MS = 10_000

/**
 * Finds the contract of a group: from memory for some seconds, else from the database, else from the name
 * service, whose answer is then stored for all instances.
 */
export function createGroupAddresses({ graphql, names, resolve, now }: Services): GroupAddresses {
  const remembered = new Map<Group, { address: string; until: number }>()

  return {
    async find(group) {
      const known = remembered.get(group)
      if (known && known.until > now()) return known.address
      const address = await lookup(names[group])
      remembered.set(group, { address, until: now() + MAX_REMEMBERED_MS })
      return address
    },
    async refresh() {
      const found = await Promise.all(Object.values(names).map(ask))
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

  /** A name service that does not answer counts as one that knows no name. */
  async function ask(name: string) {
    return { key: name, value: await resolve(name).catch(() => null) }
  }
}
