import { LRUCache } from 'lru-cache'

/** The two group contracts. */
export type Group = 'production' | 'staging'

/** What the chain says about a root; `supersededAt` is in seconds since the epoch, null for the latest root. */
export type Root = { known: false } | { known: true; supersededAt: number | null }

/** Where roots are looked up. */
export type RootLookup = { find(group: Group, root: bigint): Promise<Root> }

type RootQuery = (group: Group, root: bigint) => Promise<Root>

type Options = {
  /** Asks the chain. */
  query: RootQuery
  /** Seconds since the epoch. */
  now: () => number
  /** The oldest answers make room for new ones. */
  maxEntries: number
  /** Called for each lookup, with where the answer comes from. */
  onLookup?: (answer: 'memory' | 'under_way' | 'chain') => void
}

/**
 * How long an answer is believed. A root may be superseded at any time, or become the latest again when an
 * insertion is undone; within a minute neither makes it too old or young enough.
 */
const ANSWER_LIFETIME_SECONDS = 60

/**
 * Looks roots up: callers that ask for the same root at once share one query to the chain, whose answer is
 * remembered.
 *
 * An unknown root is not remembered, as it may be published the next moment. A failed query is not
 * remembered either, and fails for all who wait for it.
 */
export function createRootLookup(options: Options): RootLookup {
  const { query, now, maxEntries, onLookup = () => {} } = options
  const known = new LRUCache<string, Root>({
    max: maxEntries,
    ttl: ANSWER_LIFETIME_SECONDS * 1_000,
    ttlResolution: 0,
    perf: { now: () => now() * 1_000 },
  })
  const asked = new Map<string, Promise<Root>>()

  async function find(group: Group, root: bigint): Promise<Root> {
    const name = `${group} ${root}`
    const remembered = known.get(name)
    if (remembered) {
      onLookup('memory')
      return remembered
    }
    onLookup(asked.has(name) ? 'under_way' : 'chain')
    return asked.get(name) ?? ask(name, query(group, root))
  }

  function ask(name: string, answer: Promise<Root>): Promise<Root> {
    const pending = answer.then((root) => remember(name, root)).finally(() => asked.delete(name))
    asked.set(name, pending)
    return pending
  }

  function remember(name: string, root: Root): Root {
    if (root.known) known.set(name, root)
    return root
  }

  return { find }
}
