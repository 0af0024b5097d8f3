import { parse, print, visit } from 'graphql/language/index.js'
import { EngineError } from '../../errors.ts'
import type { Metadata } from '../../metadata/metadata.ts'
import { ADMIN, type Session } from '../../session/session.ts'

/**
 * Refuses documents that are on no allow list of the role; `__typename` and white space do not count.
 *
 * @throws validation-failed
 */
export function checkAllowed(metadata: Metadata, query: string, { role }: Session): void {
  if (role === ADMIN) return
  const roles = allowListOf(metadata).get(normalizeQuery(query))
  if (roles?.has(role) || roles?.has(EVERYBODY)) return
  throw new EngineError('validation-failed', 'query is not allowed')
}

/** Stands for all roles: no role can have this name. */
const EVERYBODY = ''

/** By normalized document, the roles that may send it. */
type AllowList = ReadonlyMap<string, ReadonlySet<string>>

const lists = new WeakMap<Metadata, AllowList>()

function allowListOf(metadata: Metadata): AllowList {
  const known = lists.get(metadata)
  if (known) return known
  const list = new Map<string, Set<string>>()
  for (const { collection, scope } of metadata.allowlist) {
    const roles = scope.global ? [EVERYBODY] : (scope.roles ?? [])
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

/** The document in a canonical form, for comparing. Text that does not parse is only equal to itself. */
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
