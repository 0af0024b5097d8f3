import { quotedNames } from '../../../json/quoted-names.ts'
import {
  type Catalog,
  type CatalogColumn,
  type CatalogTable,
  catalogKey,
} from '../../../postgres/catalog.ts'
import { sqlTypeName } from '../../../postgres/scalars.ts'
import { refuseForReasons } from '../inconsistency.ts'
import type { EnumType } from '../model.ts'

/**
 * Resolves the enum of an enum table. The table needs a text column as its primary key and at least one row. It may
 * have a second column, a text with comments.
 *
 * @param name the name of the enum
 * @param isName reports whether a value can be in the schema
 * @throws Inconsistent
 */
export function resolveEnum(
  catalog: Catalog,
  table: CatalogTable,
  { name, isName }: { name: string; isName(value: string): boolean },
): EnumType {
  const key = catalogKey(table)
  const messageStart = `the table "${key}" cannot be used as an enum`
  const keyReasons = reasonsAgainstKey(table)
  refuseForReasons(messageStart, [
    ...keyReasons,
    ...reasonsAgainstOtherColumns(table, keyReasons.length === 0),
  ])
  const values = catalog.enums.get(key) ?? []
  if (values.length === 0) refuseForReasons(messageStart, ['the table must have at least one row'])
  const invalidValues = values.map(({ value }) => value).filter((value) => !isName(value))
  if (invalidValues.length > 0)
    refuseForReasons(messageStart, [invalidValuesMessage(invalidValues.toSorted())])
  return { name, table: key.replaceAll('.', '_'), values }
}

function reasonsAgainstKey({ primaryKey, columns }: CatalogTable): string[] {
  if (!primaryKey) return ['the table must have a primary key']
  const [name, ...furtherNames] = primaryKey.columns
  if (furtherNames.length > 0)
    return [
      `the table’s primary key must not span multiple columns (${primaryKey.columns.toSorted().join(', ')})`,
    ]
  const column = columns.find((candidate) => candidate.name === name)
  return column ? reasonsOfType('primary key', column) : []
}

/**
 * Returns reasons against the columns besides the key: there may be only a comment column. A column that cannot be the
 * key counts as another column, as in Hasura.
 */
function reasonsAgainstOtherColumns(
  { primaryKey, columns }: CatalogTable,
  hasKey: boolean,
): string[] {
  const otherColumns = columns.filter(({ name }) => !(hasKey && primaryKey?.columns.includes(name)))
  const [comment, ...furtherColumns] = otherColumns
  if (!comment) return []
  if (furtherColumns.length === 0) return reasonsOfType('comment column', comment)
  const names = otherColumns.map(({ name }) => name).toSorted()
  return [
    `the table must have exactly one primary key and optionally one comment column, not ${names.length} columns (${names.join(', ')})`,
  ]
}

function reasonsOfType(role: string, { name, type }: CatalogColumn): string[] {
  if (type.name === 'text') return []
  return [
    `the table’s ${role} ("${name}") must have type "text", not type "${sqlTypeName(type.name)}"`,
  ]
}

function invalidValuesMessage(values: readonly string[]): string {
  const [firstValue] = values
  if (values.length === 1) return `the value "${firstValue}" is not a valid GraphQL enum value name`
  const last = quotedNames(values.slice(-1))
  const names = quotedNames(values.slice(0, -1))
  const list = values.length === 2 ? `${names} and ${last}` : `${names}, and ${last}`
  return `the values ${list} are not valid GraphQL enum value names`
}
