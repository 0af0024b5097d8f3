import { type AdapterPayload, Provider } from 'oidc-provider'

/**
 * The storage's state for the duration of a request to oidc-provider: deferred changes, and a grant that was read in
 * advance.
 *
 * A scope is opened when oidc-provider gets the request. It is flushed when oidc-provider has composed the response,
 * before the response is sent (provider/request-storage.ts). If oidc-provider stores a row in between, the row and
 * the deferred changes share a statement (docs/decisions/sign-in/0071).
 */
export type RequestScope = {
  /** Defers a change until a row is stored, or until oidc-provider has composed the response. */
  defer(change: () => Promise<void>): void
  /**
   * Makes each deferred change once.
   *
   * @throws the error of a change that fails
   */
  flush(): Promise<void>
  /** Keeps a grant for `takeGrant`. */
  keepGrant(id: string, payload: AdapterPayload): void
  /**
   * Returns the kept grant if it has this id. Returns it only once; after that, the grant is read from the database.
   */
  takeGrant(id: string): AdapterPayload | undefined
}

/** The scopes by oidc-provider's context of the request. */
const scopes = new WeakMap<object, RequestScope>()

/** Opens the scope of the request with this context. The scope ends with the context. */
export function openRequestScope(context: object): RequestScope {
  const scope = makeRequestScope()
  scopes.set(context, scope)
  return scope
}

/**
 * Returns the scope of oidc-provider's current request; undefined outside oidc-provider's requests, for example when
 * one of our endpoints reads a model.
 *
 * Uses oidc-provider's `AsyncLocalStorage`, because a second `AsyncLocalStorage` would cost every promise of a
 * request about 0.2 µs (docs/decisions/sign-in/0071).
 */
export function currentRequestScope(): RequestScope | undefined {
  const context = Provider.ctx
  return context && scopes.get(context)
}

function makeRequestScope(): RequestScope {
  let deferredChanges: (() => Promise<void>)[] = []
  let keptGrant: { id: string; payload: AdapterPayload } | undefined
  return {
    defer: (change) => void deferredChanges.push(change),
    async flush() {
      const changes = deferredChanges
      deferredChanges = []
      await Promise.all(changes.map((change) => change()))
    },
    keepGrant(id, payload) {
      keptGrant = { id, payload }
    },
    takeGrant(id) {
      if (keptGrant?.id !== id) return undefined
      const { payload } = keptGrant
      keptGrant = undefined
      return payload
    },
  }
}
