/** A map that forgets what was used longest ago. */
export type Lru<K, V> = {
  get(key: K): V | undefined
  set(key: K, value: V): void
}

/** An empty one that holds at most `capacity` entries. */
export function lru<K, V>(capacity: number): Lru<K, V> {
  // Maps keep the order of insertion: the first entry is the one unused for longest.
  const entries = new Map<K, V>()
  return {
    get(key) {
      const value = entries.get(key)
      if (value === undefined) return undefined
      entries.delete(key)
      entries.set(key, value)
      return value
    },
    set(key, value) {
      entries.delete(key)
      entries.set(key, value)
      const [oldest] = entries.keys()
      if (entries.size > capacity && oldest !== undefined) entries.delete(oldest)
    },
  }
}
