import type { NativeQuery, NativeRelationship, SelectPermission } from '../../model/model.ts'
import {
  type Field,
  fieldsByName,
  type InputField,
  inputField,
  listType,
  type ObjectType,
  objectField,
  requiredType,
} from '../graphql-types.ts'
import { type SchemaContext, valueType } from '../schema-context.ts'
import { rowsArguments } from './rows-arguments.ts'

/** Returns the argument `args` of a native query; none if the query has no arguments. */
export function nativeQueryArguments(ctx: SchemaContext, query: NativeQuery): InputField[] {
  const fields = query.args.map((arg) => {
    const type = valueType(ctx, { type: arg.type, enumType: null })
    const description = `Native Query argument ${arg.name}`
    return inputField(
      arg.name,
      arg.nullable ? type : requiredType(type),
      { kind: 'plain' },
      { description },
    )
  })
  if (fields.length === 0) return []
  const description = `${query.field}Native Query Arguments`
  const type = ctx.input(`${query.field}_arguments`, description, () => fieldsByName(fields))
  return [inputField('args', requiredType(type), { kind: 'plain' }, { description })]
}

/**
 * Creates the field of a relationship from or to the rows of a native query. Null if the role may not read the related
 * rows, or the column that contains them.
 *
 * @param row returns the type of the related rows
 */
export function nativeRelationshipField(
  ctx: SchemaContext,
  relationship: NativeRelationship,
  { select, row }: { select: SelectPermission; row(): ObjectType },
): Field | null {
  const { name, kind, remote, nullable, target } = relationship
  if (!ctx.access(remote).select) return null
  const isInColumn = typeof target === 'object' && 'column' in target
  if (isInColumn && !select.columns.has(target.column)) return null
  const meaning = { kind: 'nativeRelationship', relationship } as const
  const type = kind === 'object' ? row() : listType(row())
  const queryArguments =
    typeof target === 'object' && 'query' in target ? nativeQueryArguments(ctx, target.query) : []
  const filterArguments = kind === 'array' && !isInColumn ? rowsArguments(ctx, remote) : []
  return objectField(name, nullable ? type : requiredType(type), meaning, {
    args: [...queryArguments, ...filterArguments],
    description: isInColumn ? null : `An ${kind} relationship`,
  })
}
