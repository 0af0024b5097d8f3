import type { DirectiveNode } from 'graphql'
import { validationError } from '../../../errors.ts'

type DirectivePlace = {
  path: string
  /** The name of the place in messages: `a field`, `a query`. */
  place: string
  allowedNames: readonly string[]
}

/** All known directives. `cached` belongs to Hasura's paid edition and has no effect. */
const KNOWN_DIRECTIVES: ReadonlySet<string> = new Set([
  'include',
  'skip',
  'cached',
  '_multiple_top_level_fields',
])

/**
 * Checks directives. @throws validation-failed for a directive that is unknown, repeated, or not allowed in this place
 */
export function checkDirectives(
  directives: readonly DirectiveNode[],
  { path, place, allowedNames }: DirectivePlace,
) {
  const names = directives.map(({ name }) => name.value)
  for (const name of names) {
    if (!KNOWN_DIRECTIVES.has(name))
      throw validationError(path, `directive '${name}' is not defined in the schema`)
    if (!allowedNames.includes(name))
      throw validationError(path, `directive '${name}' is not allowed on ${place}`)
  }
  const duplicates = [...new Set(names.filter((name, i) => names.indexOf(name) < i))]
  if (duplicates.length > 0) {
    const list = duplicates.map((name) => `'${name}'`).join(', ')
    throw validationError(path, `the following directives are used more than once: [${list}]`)
  }
}
