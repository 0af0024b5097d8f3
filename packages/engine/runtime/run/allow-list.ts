import { parse, print, visit } from 'graphql/language/index.js'
import { EngineError } from '../../errors.ts'
import type { Metadata } from '../../metadata/metadata.ts'
import { ADMIN, type Session } from '../../session/session.ts'

/**
 * Rejects a document that is not on the allow list for the role. Admin may send every document. The comparison ignores
 * `__typename`, comments and white space.
 *
 * @throws validation-failed
 */
export function checkAllowed(metadata: Metadata, query: string, { role }: Session): void {
  if (role === ADMIN) return
  const roles = allowListOf(metadata).get(normalizeQuery(query))
  if (roles?.has(role) || roles?.has(ALL_ROLES)) return
  throw new EngineError('validation-failed', 'query is not allowed')
}

/** The entry that stands for all roles. No role can have this name. */
const ALL_ROLES = ''

/** The roles that may send each document, by normalized document. */
type AllowList = ReadonlyMap<string, ReadonlySet<string>>

const lists = new WeakMap<Metadata, AllowList>()

function allowListOf(metadata: Metadata): AllowList {
  const cached = lists.get(metadata)
  if (cached) return cached
  const list = new Map<string, Set<string>>()
  for (const { collection, scope } of metadata.allowlist) {
    const roles = scope.global ? [ALL_ROLES] : (scope.roles ?? [])
    for (const query of collectionQueries(metadata, collection)) {
      list.set(query, new Set([...(list.get(query) ?? []), ...roles]))
    }
  }
  lists.set(metadata, list)
  return list
}

function collectionQueries({ query_collections }: Metadata, name: string): string[] {
  const collection = query_collections.find((candidate) => candidate.name === name)
  return (collection?.definition.queries ?? []).map(({ query }) => normalizeQuery(query))
}

/** Returns the document in a canonical form for comparison, or unchanged if it cannot be parsed. */
function normalizeQuery(query: string): string {
  try {
    return print(
      visit(parse(query), { Field: (node) => (isTypename(node.name.value) ? null : undefined) }),
    )
  } catch {
    return query
  }
}

function isTypename(name: string): boolean {
  return name === '__typename'
}
