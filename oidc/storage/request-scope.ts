import { type AdapterPayload, Provider } from 'oidc-provider'

/**
 * What the storage holds for the duration of one request to oidc-provider: changes that it has put off, and
 * a grant that it has read in advance.
 *
 * A scope is opened when oidc-provider gets the request, and flushed when oidc-provider has composed its
 * answer, before the answer is sent (provider/request-storage.ts). In between, each row that oidc-provider
 * stores takes the changes that were put off with it, in one statement (docs/decisions/sign-in/0071).
 */
export type RequestScope = {
  /** Puts off a change until something is stored, or until oidc-provider has composed its answer. */
  defer(change: () => Promise<void>): void
  /**
   * Makes the changes that were put off, each of them once.
   *
   * @throws whatever one of them throws
   */
  flush(): Promise<void>
  /** Keeps a grant for `takeGrant`. */
  keepGrant(id: string, payload: AdapterPayload): void
  /** Gives out the kept grant if it has this id. It is given out once; after that, the grant is read anew. */
  takeGrant(id: string): AdapterPayload | undefined
}

/** By oidc-provider's context of the request, which oidc-provider also passes through its own calls. */
const scopes = new WeakMap<object, RequestScope>()

/** Opens the scope of the request that has this context. It ends with the context. */
export function openRequestScope(context: object): RequestScope {
  const scope = makeRequestScope()
  scopes.set(context, scope)
  return scope
}

/**
 * The scope of the request that oidc-provider works on in the current asynchronous call; undefined outside
 * oidc-provider's requests, for example when an endpoint of ours reads a model.
 *
 * The scope hangs on oidc-provider's own `AsyncLocalStorage`, because a second one would cost every promise
 * of a request about 0.2 µs (docs/decisions/sign-in/0071).
 */
export function currentRequestScope(): RequestScope | undefined {
  const context = Provider.ctx
  return context && scopes.get(context)
}

function makeRequestScope(): RequestScope {
  let deferred: (() => Promise<void>)[] = []
  let kept: { id: string; payload: AdapterPayload } | undefined
  return {
    defer: (change) => void deferred.push(change),
    async flush() {
      const changes = deferred
      deferred = []
      await Promise.all(changes.map((change) => change()))
    },
    keepGrant(id, payload) {
      kept = { id, payload }
    },
    takeGrant(id) {
      if (kept?.id !== id) return undefined
      const { payload } = kept
      kept = undefined
      return payload
    },
  }
}
