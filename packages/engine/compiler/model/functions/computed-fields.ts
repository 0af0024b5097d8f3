import type { ComputedFieldMetadata } from '../../../metadata/tables.ts'
import { type Catalog, type CatalogFunction, catalogKey } from '../../../postgres/catalog.ts'
import {
  type InconsistencyReport,
  Inconsistent,
  inconsistentWithoutPlace,
  refuseForReasons,
} from '../inconsistency.ts'
import type { ComputedField, Returns } from '../model.ts'
import { isGraphQLName, type UnfinishedTable, type UnfinishedTables } from '../tables/tables.ts'
import { findFunction, functionArguments } from './functions.ts'

export function addComputedFields(
  tables: UnfinishedTables,
  catalog: Catalog,
  errors: InconsistencyReport,
): void {
  for (const table of tables.values())
    for (const metadata of table.metadata.computed_fields) {
      const subject = {
        type: 'computed_field',
        name: `computed_field ${metadata.name} in table ${catalogKey(table)} in source ${table.source.name}`,
        source: table.source.name,
        prefix: `in table "${catalogKey(table)}": in computed field "${metadata.name}"`,
        definition: { ...metadata, table: table.metadata.table },
      }
      const field = errors.attempt(subject, () =>
        resolveComputedField(table, metadata, { tables, catalog }),
      )
      if (field) table.computedFields.set(metadata.name, field)
    }
}

type Context = { tables: UnfinishedTables; catalog: Catalog }

function resolveComputedField(
  table: UnfinishedTable,
  metadata: ComputedFieldMetadata,
  context: Context,
): ComputedField {
  const { name, definition } = metadata
  if (table.columns.has(name))
    throw inconsistentWithoutPlace('field definition conflicts with postgres column')
  if (table.relationships.has(name))
    throw new Inconsistent(`field definition conflicts with another field: "${name}"`)
  const key = catalogKey(table)
  const catalogFunction = findFunction(context.catalog, definition.function)
  refuseForReasons(
    `the computed field "${name}" cannot be added to table "${key}"`,
    reasonsAgainstField(table, catalogFunction, { metadata, context }),
  )
  const row = definition.table_argument ?? null
  const tableArgument = row === null ? 0 : catalogFunction.args.findIndex((arg) => arg.name === row)
  return {
    schema: catalogFunction.schema,
    name: catalogFunction.name,
    field: name,
    comment: metadata.comment,
    databaseComment: catalogFunction.comment,
    args: functionArguments(catalogFunction, {
      session: definition.session_argument ?? null,
      tableArgument,
    }),
    returns: resolveReturns(catalogFunction, context.tables),
  }
}

type FieldInput = { metadata: ComputedFieldMetadata; context: Context }

/** Returns all reasons why a function cannot be a computed field of the table. */
function reasonsAgainstField(
  table: UnfinishedTable,
  catalogFunction: CatalogFunction,
  { metadata: { name, definition }, context }: FieldInput,
): string[] {
  const { table_argument, session_argument } = definition
  return [
    ...(isGraphQLName(name) ? [] : [`"${name}" is not valid GraphQL name`]),
    ...(catalogFunction.volatility === 'v'
      ? [
          `the function "${catalogKey(catalogFunction)}" is of type VOLATILE; cannot be added as a computed field`,
        ]
      : []),
    ...reasonsAgainstResult(catalogFunction, context),
    ...reasonsAgainstRowArgument(table, catalogFunction, table_argument ?? null),
    ...reasonsAgainstSessionArgument(catalogFunction, session_argument ?? null),
  ]
}

/** Returns the reasons against the function's result, which must be a scalar or rows of a tracked table. */
function reasonsAgainstResult(
  catalogFunction: CatalogFunction,
  { catalog, tables }: Context,
): string[] {
  const { returnTable, returnType } = catalogFunction
  if (hasTableWithOid(tables, returnTable)) return []
  const untrackedTable = [...catalog.tables.values()].find(({ oid }) => oid === returnTable)
  const key = catalogKey(catalogFunction)
  if (untrackedTable)
    return [
      `the function "${key}" returning set of table "${catalogKey(untrackedTable)}" is not tracked or not found in database`,
    ]
  if (!NON_SCALAR_KINDS.includes(returnType.kind) && !catalogFunction.returnsSet) return []
  return [`the function "${key}" returning type ${returnType.name} is not a BASE type`]
}

/** Kinds of types (`pg_type.typtype`) that are not scalars: composite and pseudo types. */
const NON_SCALAR_KINDS = ['c', 'p']

/**
 * Returns the reasons against the argument that gets the row: the argument that the metadata names, or the first
 * argument.
 */
function reasonsAgainstRowArgument(
  table: UnfinishedTable,
  catalogFunction: CatalogFunction,
  name: string | null,
): string[] {
  const key = catalogKey(catalogFunction)
  const argument =
    name === null
      ? catalogFunction.args[0]
      : catalogFunction.args.find((candidate) => candidate.name === name)
  if (!argument)
    return name === null
      ? [`the function "${key}" has no input arguments`]
      : [`"${name}" is not an input argument of the function "${key}"`]
  if (argument.table === table.catalog.oid) return []
  const argumentText =
    name === null
      ? `first argument of the function "${key}"`
      : `"${name}" argument of the function "${key}"`
  return [
    ...(argument.type.kind === 'c' ? [] : [`${argumentText} is not COMPOSITE type`]),
    `${argumentText} of type "${catalogKey(argument.type)}" is not the table to which the computed field is being added`,
  ]
}

function reasonsAgainstSessionArgument(
  catalogFunction: CatalogFunction,
  name: string | null,
): string[] {
  if (name === null) return []
  const key = catalogKey(catalogFunction)
  const argument = catalogFunction.args.find((candidate) => candidate.name === name)
  if (!argument) return [`"${name}" is not an input argument of the function "${key}"`]
  return argument.type.name === 'json' || argument.type.name === 'jsonb'
    ? []
    : [`"${name}" argument of the function "${key}" is not of type JSON`]
}

function hasTableWithOid(tables: UnfinishedTables, oid: number | null): boolean {
  return [...tables.values()].some(({ catalog }) => catalog.oid === oid)
}

function resolveReturns(catalogFunction: CatalogFunction, tables: UnfinishedTables): Returns {
  const table = [...tables.values()].find(
    ({ catalog }) => catalog.oid === catalogFunction.returnTable,
  )
  if (table) return { kind: 'table', table }
  return { kind: 'scalar', type: catalogFunction.returnType, enumType: null }
}
