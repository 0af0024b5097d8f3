import { z } from 'zod'
import type { Refusal } from '../judge-request.ts'
import { hashOfQuery, type PersistedQueries } from './persisted-queries.ts'

type Found = {
  json: unknown
  /** Called once the credentials were right. */
  remember(): void
}

/** What a request asks for: its JSON with the document in it, or why there is none. */
export type Resolved = Found | { refusal: Refusal | Refusal[] }

const Persisted = z.object({
  version: z.literal(1),
  sha256Hash: z
    .string()
    .regex(/^[0-9a-f]{64}$/i)
    .toLowerCase(),
})

const WithHash = z.looseObject({
  query: z.string().nullish(),
  extensions: z.looseObject({ persistedQuery: z.unknown() }),
})

/**
 * Finds the document that a request names by its hash (Apollo's automatic persisted queries), and lets the one that comes
 * with its hash be remembered.
 *
 * @see https://www.apollographql.com/docs/apollo-server/performance/apq
 */
export function resolvePersisted(
  json: unknown,
  { caller, known }: { caller: string; known: PersistedQueries },
): Resolved {
  if (Array.isArray(json)) return json.some(isHashAlone) ? refuseBatch(json) : asItIs(json)
  const asked = hashedRequest(json)
  if (!asked) return asItIs(json)
  const { extensions, ...request } = asked
  const { data: named } = Persisted.safeParse(extensions.persistedQuery)
  if (!named) return { refusal: NOT_SUPPORTED }
  const { sha256Hash: hash } = named
  if (request.query) {
    const { query } = request
    if (hashOfQuery(query) !== hash) return { refusal: MISMATCH }
    return { json: request, remember: () => known.remember(caller, hash, query) }
  }
  const query = known.find(caller, hash)
  return query === null ? { refusal: NOT_FOUND } : asItIs({ ...request, query })
}

function hashedRequest(json: unknown) {
  const { data } = WithHash.safeParse(json)
  return data?.extensions.persistedQuery == null ? null : data
}

function asItIs(json: unknown): Resolved {
  return { json, remember() {} }
}

function isHashAlone(entry: unknown): boolean {
  const asked = hashedRequest(entry)
  return asked !== null && !asked.query
}

/** Clients then send all documents whole: in a batch none is named by its hash. */
function refuseBatch(entries: readonly unknown[]): Resolved {
  return { refusal: entries.map(() => NOT_SUPPORTED) }
}

/** The words of these two are what clients look for. */
const NOT_FOUND = persistedRefusal('PersistedQueryNotFound', 'PERSISTED_QUERY_NOT_FOUND')
const NOT_SUPPORTED = persistedRefusal(
  'PersistedQueryNotSupported',
  'PERSISTED_QUERY_NOT_SUPPORTED',
)
const MISMATCH = persistedRefusal('provided sha does not match query', 'validation-failed')

function persistedRefusal(message: string, code: string): Refusal {
  return { errors: [{ message, extensions: { path: '$', code } }] }
}
