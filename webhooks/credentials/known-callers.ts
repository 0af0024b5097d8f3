import { LRUCache } from 'lru-cache'
import { hashToken } from '../../lib/runtime/secrets/secret.ts'
import { formatApiKey, parseApiKey } from './api-key.ts'
import { bearerToken } from './bearer.ts'

/**
 * Names the callers who share the places for GraphQL. All API keys of a team, and all logins of a person, are one caller:
 * otherwise whoever makes more of them would have more of the places.
 */
export type KnownCallers = {
  /**
   * The id of the team or user whose credentials these are; until that is known, a name that all spellings of the
   * credentials have.
   */
  nameOf(authorization: string | undefined): string
  /** The same, after looking up whose they are, if that is not known; never throws. */
  identify(authorization: string | undefined, headers: Record<string, string>): Promise<string>
}

type FindCaller = (
  authorization: string | undefined,
  headers: Record<string, string>,
) => Promise<string | null>

/** A name decides only who shares with whom: whether credentials are right, Hasura asks each time. */
const MAX_KNOWN = 20_000

export function createKnownCallers(findCaller: FindCaller): KnownCallers {
  const known = new LRUCache<string, string>({ max: MAX_KNOWN })
  const asking = new Map<string, Promise<string | null>>()
  return {
    nameOf(authorization) {
      const name = hashToken(oneSpelling(authorization))
      return known.get(name) ?? name
    },
    async identify(authorization, headers) {
      const name = hashToken(oneSpelling(authorization))
      const before = known.get(name)
      if (before !== undefined) return before
      const asked = asking.get(name) ?? ask(name, authorization, headers)
      return (await asked) ?? name
    },
  }

  /** Those who come meanwhile with the same credentials wait for the same answer. */
  function ask(name: string, ...[authorization, headers]: Parameters<FindCaller>) {
    const answer = findCaller(authorization, headers)
      // Without an answer it is asked for again, with the next request.
      .catch(() => null)
      .then((caller) => {
        asking.delete(name)
        if (caller !== null) known.set(name, caller)
        return caller
      })
    asking.set(name, answer)
    return answer
  }
}

/** A header may be written in many ways: with more spaces, or a key in another form of base64. */
function oneSpelling(authorization: string | undefined): string {
  const token = bearerToken(authorization)
  const key = parseApiKey(token)
  return key ? formatApiKey(key) : token
}
