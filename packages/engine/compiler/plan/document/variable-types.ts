import { Kind, type TypeNode } from 'graphql/language/index.js'
import type { TypeRef } from '../../schema/graphql-types.ts'

/** Reports whether a variable of the type `declared` may be used where the type `expected` is required. */
export function variableFits(declared: TypeNode, expected: TypeRef, hasDefault: boolean): boolean {
  if (expected.kind === 'required' && declared.kind !== Kind.NON_NULL_TYPE && !hasDefault)
    return false
  return typesMatch(declared, expected)
}

/** Reports whether two types are equal if every `!` is ignored. Hasura ignores the `!` of a list's items. */
function typesMatch(declared: TypeNode, expected: TypeRef): boolean {
  if (declared.kind === Kind.NON_NULL_TYPE) return typesMatch(declared.type, expected)
  if (expected.kind === 'required') return typesMatch(declared, expected.of)
  // A single item counts as a list only if it is a literal.
  if (expected.kind === 'list')
    return declared.kind === Kind.LIST_TYPE && typesMatch(declared.type, expected.of)
  return declared.kind === Kind.NAMED_TYPE && declared.name.value === expected.name
}
