import { LRUCache } from 'lru-cache'

/** What the chain knows about a root; `supersededAt` is in seconds since the epoch, and null for the latest root. */
export type Root = { known: false } | { known: true; supersededAt: number | null }

/** Looks up Merkle roots of the groups. */
export type RootLookup = {
  /** @param group the name of the group's contract */
  find(group: string, root: bigint, callers: readonly string[]): Promise<Root>
}

type RootQuery = (group: string, root: bigint) => Promise<Root>

type Options = {
  /** Queries the chain. */
  query: RootQuery
  /** Waits until the callers, all whose share of the chain a query takes, may have one sent; the result ends it. */
  enter: (callers: readonly string[]) => Promise<() => void>
  /** Seconds since the epoch. */
  now: () => number
  /** How many answers are remembered; the least recently used are forgotten first. */
  maxEntries: number
  /** Called for each lookup, with where the answer comes from. */
  onLookup?: (answer: 'memory' | 'under_way' | 'chain') => void
}

/**
 * How long an answer is remembered. A root may be superseded at any time, or become the latest again when an insertion
 * is undone; an answer that is a minute old is close enough for judging the root's age.
 */
const ANSWER_LIFETIME_SECONDS = 60

/**
 * Looks up roots and remembers them. Concurrent lookups of one root share one query to the chain.
 *
 * An unknown root is not remembered, because it may be published at any moment. A query that fails is not remembered
 * either, and fails for every caller that waits for it.
 */
export function createRootLookup(options: Options): RootLookup {
  const { query, enter, now, maxEntries, onLookup = () => {} } = options
  const remembered = new LRUCache<string, Root>({
    max: maxEntries,
    ttl: ANSWER_LIFETIME_SECONDS * 1_000,
    ttlResolution: 0,
    perf: { now: () => now() * 1_000 },
  })
  const pending = new Map<string, Promise<Root>>()

  async function find(group: string, root: bigint, callers: readonly string[]): Promise<Root> {
    const name = `${group} ${root}`
    const known = remembered.get(name)
    if (known) {
      onLookup('memory')
      return known
    }
    onLookup(pending.has(name) ? 'under_way' : 'chain')
    return pending.get(name) ?? queryInTurn(name, callers, () => query(group, root))
  }

  /** What is under way is shared, but not the wait for a turn: somebody else's may be longer. */
  async function queryInTurn(name: string, callers: readonly string[], ask: () => Promise<Root>) {
    const leave = await enter(callers)
    try {
      return remembered.get(name) ?? (await (pending.get(name) ?? share(name, ask())))
    } finally {
      leave()
    }
  }

  function share(name: string, answer: Promise<Root>): Promise<Root> {
    const shared = answer.then((root) => remember(name, root)).finally(() => pending.delete(name))
    pending.set(name, shared)
    return shared
  }

  function remember(name: string, root: Root): Root {
    if (root.known) remembered.set(name, root)
    return root
  }

  return { find }
}
