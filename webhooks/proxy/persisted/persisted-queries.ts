import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { requireValue } from '../../../lib/runtime/require-value.ts'

/**
 * GraphQL documents that callers have sent once, and then name by their SHA-256. Each caller's documents are separate, so
 * that a caller cannot run or find another caller's documents. After an eviction or a restart, clients send the document
 * again.
 */
export type PersistedQueries = {
  find(caller: string, hash: string): string | null
  /** Stores a document under its hash. */
  remember(caller: string, hash: string, query: string): void
}

type Bounds = {
  maxBytes: number
  maxBytesPerCaller: number
  maxQueriesPerCaller: number
  maxCallers: number
}

/**
 * Creates the stores. Beyond a caller's limits, evicts the caller's least recently used documents. Beyond `maxBytes`,
 * evicts all documents of the caller with the most bytes. Beyond `maxCallers`, evicts all documents of the caller that has
 * used them least recently.
 */
export function createPersistedQueries(bounds: Bounds): PersistedQueries {
  const { maxBytes, maxBytesPerCaller, maxQueriesPerCaller, maxCallers } = bounds
  const stores = new LRUCache<string, LRUCache<string, string>>({ max: maxCallers })

  function storeOf(caller: string) {
    const existingStore = stores.get(caller)
    if (existingStore) return existingStore
    const store = new LRUCache<string, string>({
      max: maxQueriesPerCaller,
      maxSize: maxBytesPerCaller,
      sizeCalculation: (query) => Buffer.byteLength(query) + ENTRY_BYTES,
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
      while (bytesOfAll() > maxBytes) stores.delete(callerWithMostBytes(stores))
    },
  }
}

/** The approximate number of bytes that an entry needs besides its document. */
const ENTRY_BYTES = 200

function callerWithMostBytes(stores: LRUCache<string, LRUCache<string, string>>): string {
  const [heaviest] = [...stores.entries()].toSorted(
    ([, a], [, b]) => b.calculatedSize - a.calculatedSize,
  )
  return requireValue(heaviest, 'a caller with documents')[0]
}

/** Returns the SHA-256 of a document in hex. */
export function hashOfQuery(query: string): string {
  return createHash('sha256').update(query).digest('hex')
}
