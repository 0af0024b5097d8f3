import type { DirectiveNode } from 'graphql'
import { validationError } from '../../../errors.ts'

type Where = {
  path: string
  /** As messages name it: `a field`, `a query`. */
  place: string
  allowed: readonly string[]
}

/** All known directives; `cached` belongs to Hasura's paid edition and has no effect. */
const KNOWN: ReadonlySet<string> = new Set([
  'include',
  'skip',
  'cached',
  '_multiple_top_level_fields',
])

/** @throws validation-failed for a directive that is unknown, not allowed in this place, or repeated */
export function checkDirectives(given: readonly DirectiveNode[], { path, place, allowed }: Where) {
  const names = given.map(({ name }) => name.value)
  for (const name of names) {
    if (!KNOWN.has(name))
      throw validationError(path, `directive '${name}' is not defined in the schema`)
    if (!allowed.includes(name))
      throw validationError(path, `directive '${name}' is not allowed on ${place}`)
  }
  const twice = [...new Set(names.filter((name, i) => names.indexOf(name) < i))]
  if (twice.length > 0) {
    const all = twice.map((name) => `'${name}'`).join(', ')
    throw validationError(path, `the following directives are used more than once: [${all}]`)
  }
}
