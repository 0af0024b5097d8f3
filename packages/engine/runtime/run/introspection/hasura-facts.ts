import { type GraphQLField, isInterfaceType } from 'graphql'
import { isList, isRecord } from '../../../json/record.ts'

/**
 * Replaces a result of graphql-js by Hasura's result, where they differ. Hasura sorts the values of enums, also of introspection's own
 * enums such as `__TypeKind`. In Hasura, `interfaces` of an interface is null, because only objects implement interfaces. In graphql-js
 * it is an empty list.
 *
 * @param fact the result of graphql-js's resolver of `field` for `source`
 */
export function hasuraFact(
  { name }: Pick<GraphQLField<unknown, unknown>, 'name'>,
  source: unknown,
  fact: unknown,
): unknown {
  if (name === 'interfaces') return isInterfaceType(source) ? null : fact
  if (!isList(fact)) return fact
  if (name === 'args') return withOrderTwice(fact)
  if (name === 'enumValues')
    return fact.toSorted((a, b) => (memberName(a) < memberName(b) ? -1 : 1))
  return fact
}

/** Lists `order_by` of a connection twice, like Hasura, which reads it again for the cursors. */
function withOrderTwice(args: readonly unknown[]): readonly unknown[] {
  const names = args.map(memberName)
  if (!names.includes('after') || !names.includes('before')) return args
  return args.flatMap((arg) => (memberName(arg) === 'order_by' ? [arg, arg] : [arg]))
}

function memberName(value: unknown): string {
  return isRecord(value) ? String(value.name ?? '') : ''
}
