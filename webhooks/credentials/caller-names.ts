import { LRUCache } from 'lru-cache'
import { hashToken } from '../../lib/runtime/secrets/secret.ts'
import { formatApiKey, parseApiKey } from './api-key.ts'
import { bearerToken } from './bearer.ts'

/**
 * Names the callers that share the places for GraphQL. All API keys of a team have one name, and so have all logins of a
 * user. So a caller gets no more places by using more keys or logins.
 */
export type CallerNames = {
  /**
   * Returns the id of the team or user if it is cached, else a hash of the credentials. All spellings of the same
   * credentials have the same hash.
   */
  nameOf(authorization: string | undefined): string
  /** Like `nameOf`, but looks up the team or user if it is not in the cache. Never throws. */
  identify(authorization: string | undefined, headers: Record<string, string>): Promise<string>
}

type FindCaller = (
  authorization: string | undefined,
  headers: Record<string, string>,
) => Promise<string | null>

/** How many names are cached. A name only decides which requests share places: Hasura checks each request's credentials. */
const MAX_CACHED_NAMES = 20_000

export function createCallerNames(findCaller: FindCaller): CallerNames {
  const callers = new LRUCache<string, string>({ max: MAX_CACHED_NAMES })
  const lookups = new Map<string, Promise<string | null>>()
  return {
    nameOf(authorization) {
      const hash = hashToken(canonicalCredentials(authorization))
      return callers.get(hash) ?? hash
    },
    async identify(authorization, headers) {
      const hash = hashToken(canonicalCredentials(authorization))
      const cachedCaller = callers.get(hash)
      if (cachedCaller !== undefined) return cachedCaller
      const lookup = lookups.get(hash) ?? findCallerName(hash, authorization, headers)
      return (await lookup) ?? hash
    },
  }

  /** Starts a lookup. Requests with the same credentials share it. */
  function findCallerName(hash: string, ...[authorization, headers]: Parameters<FindCaller>) {
    const lookup = findCaller(authorization, headers)
      // After a failure the next request looks up the caller again.
      .catch(() => null)
      .then((caller) => {
        lookups.delete(hash)
        if (caller !== null) callers.set(hash, caller)
        return caller
      })
    lookups.set(hash, lookup)
    return lookup
  }
}

/** Returns the same text for all spellings of a header: with more spaces, or with a key in another form of base64. */
export function canonicalCredentials(authorization: string | undefined): string {
  const token = bearerToken(authorization)
  const key = parseApiKey(token)
  return key ? formatApiKey(key) : token
}
