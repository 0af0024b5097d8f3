import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { present } from '../../../lib/runtime/present.ts'

/**
 * Documents that callers sent once, and name by their SHA-256 from then on. Each caller has a store of their own, so that
 * nobody runs, finds or pushes out another's documents. What was forgotten, by a restart too, is sent again.
 */
export type PersistedQueries = {
  find(caller: string, hash: string): string | null
  /** Remembers a document under its hash. */
  remember(caller: string, hash: string, query: string): void
}

type Bounds = {
  maxBytes: number
  maxBytesPerCaller: number
  maxQueriesPerCaller: number
  maxCallers: number
}

/** Beyond the bounds of a caller their least recently used are forgotten; beyond all, all of whoever stores the most. */
export function createPersistedQueries(bounds: Bounds): PersistedQueries {
  const { maxBytes, maxBytesPerCaller, maxQueriesPerCaller, maxCallers } = bounds
  const stores = new LRUCache<string, LRUCache<string, string>>({ max: maxCallers })

  function storeOf(caller: string) {
    const known = stores.get(caller)
    if (known) return known
    const store = new LRUCache<string, string>({
      max: maxQueriesPerCaller,
      maxSize: maxBytesPerCaller,
      sizeCalculation: (query) => Buffer.byteLength(query) + BYTES_BESIDE,
    })
    stores.set(caller, store)
    return store
  }

  function bytesOfAll() {
    return [...stores.values()].reduce((total, store) => total + store.calculatedSize, 0)
  }

  return {
    find: (caller, hash) => stores.get(caller)?.get(hash) ?? null,
    remember(caller, hash, query) {
      const store = storeOf(caller)
      if (store.has(hash)) return
      store.set(hash, query)
      while (bytesOfAll() > maxBytes) stores.delete(whoStoresMost(stores))
    },
  }
}

/** About what a document takes besides its text. */
const BYTES_BESIDE = 200

function whoStoresMost(stores: LRUCache<string, LRUCache<string, string>>): string {
  const [most] = [...stores.entries()].toSorted(
    ([, a], [, b]) => b.calculatedSize - a.calculatedSize,
  )
  return present(most, 'a caller with documents')[0]
}

/** The name of a document: the SHA-256 of its text in hex. */
export function hashOfQuery(query: string): string {
  return createHash('sha256').update(query).digest('hex')
}
