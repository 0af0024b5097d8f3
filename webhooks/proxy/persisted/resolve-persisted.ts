import { z } from 'zod'
import type { Refusal } from '../judge-request.ts'
import { hashOfQuery, type PersistedQueries } from './persisted-queries.ts'

type CompleteRequest = {
  json: unknown
  /** Stores the document. Call this only after the credentials were accepted. */
  remember(): void
}

/** The JSON of a request with its document, or the refusal of its hash. */
export type Resolution = CompleteRequest | { refusal: Refusal | Refusal[] }

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
 * Finds the document that a request names by its hash (Apollo's automatic persisted queries). A document that comes with
 * its hash can be stored with `remember`.
 *
 * @see https://www.apollographql.com/docs/apollo-server/performance/apq
 */
export function resolvePersisted(
  json: unknown,
  { caller, persistedQueries }: { caller: string; persistedQueries: PersistedQueries },
): Resolution {
  if (Array.isArray(json)) return json.some(isHashOnly) ? refuseBatch(json) : passUnchanged(json)
  const hashRequest = parseHashRequest(json)
  if (!hashRequest) return passUnchanged(json)
  const { extensions, ...request } = hashRequest
  const { data: persistedQuery } = Persisted.safeParse(extensions.persistedQuery)
  if (!persistedQuery) return { refusal: NOT_SUPPORTED }
  const { sha256Hash: hash } = persistedQuery
  if (request.query) {
    const { query } = request
    if (hashOfQuery(query) !== hash) return { refusal: MISMATCH }
    return { json: request, remember: () => persistedQueries.remember(caller, hash, query) }
  }
  const query = persistedQueries.find(caller, hash)
  return query === null ? { refusal: NOT_FOUND } : passUnchanged({ ...request, query })
}

function parseHashRequest(json: unknown) {
  const { data } = WithHash.safeParse(json)
  return data?.extensions.persistedQuery == null ? null : data
}

function passUnchanged(json: unknown): Resolution {
  return { json, remember() {} }
}

function isHashOnly(entry: unknown): boolean {
  const request = parseHashRequest(entry)
  return request !== null && !request.query
}

/** Refuses hashes in a batch. Clients then send whole documents. */
function refuseBatch(entries: readonly unknown[]): Resolution {
  return { refusal: entries.map(() => NOT_SUPPORTED) }
}

// Clients look for these two messages.
const NOT_FOUND = persistedRefusal('PersistedQueryNotFound', 'PERSISTED_QUERY_NOT_FOUND')
const NOT_SUPPORTED = persistedRefusal(
  'PersistedQueryNotSupported',
  'PERSISTED_QUERY_NOT_SUPPORTED',
)
const MISMATCH = persistedRefusal('provided sha does not match query', 'validation-failed')

function persistedRefusal(message: string, code: string): Refusal {
  return { errors: [{ message, extensions: { path: '$', code } }] }
}
