import { type Catalog, type CatalogFunction, keyOf } from '../catalog.ts'
import type { ComputedFieldMetadata } from '../metadata/metadata.ts'
import { argumentsOf, theFunction } from './functions.ts'
import { Inconsistent, type Report } from './inconsistency.ts'
import type { ComputedField, Returns } from './model.ts'
import { isGraphQLName, type OpenTable, type OpenTables } from './tables.ts'

/** Adds the functions that stand for fields of a table. */
export function addComputedFields(tables: OpenTables, catalog: Catalog, errors: Report): void {
  for (const table of tables.values())
    for (const metadata of table.metadata.computed_fields) {
      const subject = {
        type: 'computed_field',
        name: `computed_field ${metadata.name} in table ${keyOf(table)} in source default`,
        definition: { ...metadata, table: table.metadata.table },
      }
      const field = errors.attempt(subject, () => resolve(table, metadata, { tables, catalog }))
      if (field) table.computedFields.set(metadata.name, field)
    }
}

type Known = { tables: OpenTables; catalog: Catalog }

function resolve(table: OpenTable, metadata: ComputedFieldMetadata, known: Known): ComputedField {
  const { name, definition } = metadata
  if (!isGraphQLName(name)) throw new Inconsistent(`"${name}" is not a valid name in GraphQL`)
  if (table.columns.has(name) || table.relationships.has(name))
    throw new Inconsistent(`field definition conflicts with another field: "${name}"`)
  const found = theFunction(known.catalog, definition.function)
  if (found.volatility === 'v')
    throw new Inconsistent(
      `the computed field "${name}" cannot be added to table "${keyOf(table)}" because the function "${keyOf(found)}" is of type VOLATILE; cannot be added as a computed field`,
    )
  const tableArgument = tableArgumentOf(table, found, definition.table_argument ?? null)
  return {
    schema: found.schema,
    name: found.name,
    field: name,
    comment: metadata.comment,
    databaseComment: found.comment,
    args: argumentsOf(found, { session: definition.session_argument ?? null, tableArgument }),
    returns: returnsOf(found, known.tables),
  }
}

/** The argument that takes the row: the named one, else the first of the row's type. */
function tableArgumentOf(table: OpenTable, found: CatalogFunction, name: string | null): number {
  const position = found.args.findIndex((arg) =>
    name === null ? arg.table === table.catalog.oid : arg.name === name,
  )
  if (found.args[position]?.table !== table.catalog.oid)
    throw new Inconsistent(
      `the function "${keyOf(found)}" has no argument of the row type of "${keyOf(table)}"`,
    )
  return position
}

/** A function of a row gives one value, or rows of a tracked table. */
function returnsOf(found: CatalogFunction, tables: OpenTables): Returns {
  const table = [...tables.values()].find(({ catalog }) => catalog.oid === found.returnTable)
  if (table) return { kind: 'table', table, set: found.returnsSet }
  if (found.returnsSet)
    throw new Inconsistent(
      `the function "${keyOf(found)}" returns rows that are not of a tracked table`,
    )
  return { kind: 'scalar', type: found.returnType, enumType: null }
}
