import type { Relationship, Table, TrackedFunction } from '../../model/model.ts'
import { type BaseName, customBaseName } from '../../model/naming.ts'
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
import { builtInScalar, type SchemaContext } from '../schema-context.ts'
import { functionArguments, mayCall } from '../types/function-fields.ts'
import { nameForDescription } from '../types/name-for-description.ts'
import { rowType } from '../types/row-type.ts'
import { rowsArguments } from '../types/rows-arguments.ts'

/**
 * Returns the root field that reads a table in pages. The table needs a primary key, because the values of the key are
 * part of each cursor.
 */
export function tableConnectionFields(ctx: SchemaContext, table: Table): Field[] {
  if (!canBePaged(ctx, table)) return []
  return [
    connectionField(
      ctx,
      table,
      { name: rootName(ctx, table.baseName), meaning: { kind: 'connection', table } },
      { description: `fetch data from the table: "${nameForDescription(table)}"` },
    ),
  ]
}

/** Returns the root field that reads the rows of a function in pages. */
export function functionConnectionFields(
  ctx: SchemaContext,
  trackedFunction: TrackedFunction,
): Field[] {
  const { table, field: name, exposedAs } = trackedFunction
  if (exposedAs !== 'query' || !canBePaged(ctx, table) || !mayCall(ctx, trackedFunction)) return []
  const automatic = `execute function "${nameForDescription(trackedFunction)}" which returns "${nameForDescription(table)}"`
  const functionArgs = functionArguments(ctx, trackedFunction.args, {
    typeName: trackedFunction.argsType,
    of: `function "${name}"`,
  })
  return [
    connectionField(
      ctx,
      table,
      {
        name: ctx.naming.field(customBaseName(name), 'connection'),
        meaning: { kind: 'functionConnection', function: trackedFunction },
      },
      { description: trackedFunction.comment ?? automatic, functionArgs },
    ),
  ]
}

/** Returns the field that reads the rows of an array relationship in pages. */
export function relationshipConnectionFields(
  ctx: SchemaContext,
  relationship: Relationship,
): Field[] {
  const { name, kind, remote } = relationship
  if (kind !== 'array' || !canBePaged(ctx, remote)) return []
  const field = ctx.naming.field(customBaseName(name), 'connection')
  return [
    connectionField(
      ctx,
      remote,
      { name: field, meaning: { kind: 'relationshipConnection', relationship } },
      { description: 'An array relationship connection' },
    ),
  ]
}

function rootName({ naming }: SchemaContext, name: BaseName): string {
  return naming.rootField(naming.field(name, 'connection'))
}

function canBePaged(ctx: SchemaContext, table: Table): boolean {
  return table.primaryKey !== null && ctx.access(table).select !== null
}

function connectionField(
  ctx: SchemaContext,
  table: Table,
  { name, meaning }: Pick<Field, 'name' | 'meaning'>,
  { description, functionArgs = [] }: { description: string; functionArgs?: readonly InputField[] },
): Field {
  return objectField(name, requiredType(connectionType(ctx, table)), meaning, {
    args: [...functionArgs, ...pageArguments(ctx, table)],
    description: description === '' ? null : description,
  })
}

/**
 * Returns the arguments that filter and sort rows, and the arguments that choose a page instead of `limit` and
 * `offset`.
 */
function pageArguments(ctx: SchemaContext, table: Table): InputField[] {
  const counts = ['first', 'last'].map((name) => inputField(name, builtInScalar(ctx, 'Int')))
  const cursors = ['after', 'before'].map((name) => inputField(name, builtInScalar(ctx, 'String')))
  const common = rowsArguments(ctx, table).filter(
    ({ name }) => name !== 'limit' && name !== 'offset',
  )
  return [...cursors, ...counts, ...common]
}

/** Builds `<table>Connection`: a page of rows, and its position. */
function connectionType(ctx: SchemaContext, table: Table): ObjectType {
  const description = `A Relay connection object on "${nameForDescription(table)}"`
  return ctx.object(relayTypeName(ctx, table, 'Connection'), description, () => {
    const edge = edgeType(ctx, table)
    return fieldsByName([
      objectField('edges', requiredType(listType(edge)), { kind: 'edges' }),
      objectField('pageInfo', requiredType(pageInfoType(ctx)), { kind: 'pageInfo' }),
    ])
  })
}

function relayTypeName({ naming }: SchemaContext, { baseName }: Table, suffix: string): string {
  return naming.sourceType(`${naming.sharedType(baseName)}${suffix}`)
}

function edgeType(ctx: SchemaContext, table: Table): ObjectType {
  return ctx.object(relayTypeName(ctx, table, 'Edge'), null, () =>
    fieldsByName([
      objectField('cursor', requiredType(builtInScalar(ctx, 'String')), { kind: 'cursor' }),
      objectField('node', requiredType(rowType(ctx, table)), { kind: 'edgeNode' }),
    ]),
  )
}

/**
 * Builds `PageInfo`. A page without rows has no cursors, although the fields are declared as required, as in Hasura.
 */
function pageInfoType(ctx: SchemaContext): ObjectType {
  return ctx.object('PageInfo', null, () => {
    const boolean = requiredType(builtInScalar(ctx, 'Boolean'))
    const text = requiredType(builtInScalar(ctx, 'String'))
    return fieldsByName([
      objectField('hasNextPage', boolean, { kind: 'pageFact', fact: 'hasNextPage' }),
      objectField('hasPreviousPage', boolean, { kind: 'pageFact', fact: 'hasPreviousPage' }),
      objectField('startCursor', text, { kind: 'pageFact', fact: 'startCursor' }),
      objectField('endCursor', text, { kind: 'pageFact', fact: 'endCursor' }),
    ])
  })
}
