/** The key of GraphiQL's open tabs. They are not stored, because GraphiQL would restore them next to an empty tab. */
const UNSTORED = 'graphiql:tabState'

const storages = new Map<string, ReturnType<typeof createStorage>>()

/**
 * Returns a storage for GraphiQL's history, which lasts until the page reloads. A storage of the browser would outlive the login,
 * and would show requests of one user or team to another.
 */
export function historyStorage(owner: { userId: string; teamId: string }) {
  const key = `${owner.userId} ${owner.teamId}`
  const storage = storages.get(key) ?? createStorage()
  storages.set(key, storage)
  return storage
}

function createStorage() {
  const items = new Map<string, string>()
  return {
    get length() {
      return items.size
    },
    getItem: (key: string) => items.get(key) ?? null,
    setItem(key: string, value: string) {
      if (key !== UNSTORED) items.set(key, value)
    },
    removeItem: (key: string) => void items.delete(key),
    clear: () => items.clear(),
  }
}
