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
 * The enum of an enum table. The table must have one text column as its primary key, at most one other column, which
 * is a text for comments, and at least one row.
 *
 * @param name what it is called
 * @param isName whether a value can be in the schema
 * @throws Inconsistent
 */
export function resolveEnum(
  catalog: Catalog,
  table: CatalogTable,
  { name, isName }: { name: string; isName(value: string): boolean },
): EnumType {
  const key = catalogKey(table)
  const what = `the table "${key}" cannot be used as an enum`
  const ofKey = reasonsAgainstKey(table)
  refuseForReasons(what, [...ofKey, ...reasonsAgainstOthers(table, ofKey.length === 0)])
  const values = catalog.enums.get(key) ?? []
  if (values.length === 0) refuseForReasons(what, ['the table must have at least one row'])
  const bad = values.map(({ value }) => value).filter((value) => !isName(value))
  if (bad.length > 0) refuseForReasons(what, [invalidValuesMessage(bad.toSorted())])
  return { name, table: key.replaceAll('.', '_'), values }
}

function reasonsAgainstKey({ primaryKey, columns }: CatalogTable): string[] {
  if (!primaryKey) return ['the table must have a primary key']
  const [only, ...others] = primaryKey.columns
  if (others.length > 0)
    return [
      `the table’s primary key must not span multiple columns (${primaryKey.columns.toSorted().join(', ')})`,
    ]
  const column = columns.find(({ name }) => name === only)
  return column ? reasonsOfType('primary key', column) : []
}

/** Beside its key, the table has at most a column for comments. As in Hasura, a column that cannot be the key counts. */
function reasonsAgainstOthers({ primaryKey, columns }: CatalogTable, hasKey: boolean): string[] {
  const others = columns.filter(({ name }) => !(hasKey && primaryKey?.columns.includes(name)))
  const [comment, ...more] = others
  if (!comment) return []
  if (more.length === 0) return reasonsOfType('comment column', comment)
  const names = others.map(({ name }) => name).toSorted()
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
  const [only] = values
  if (values.length === 1) return `the value "${only}" is not a valid GraphQL enum value name`
  const last = quotedNames(values.slice(-1))
  const others = quotedNames(values.slice(0, -1))
  const list = values.length === 2 ? `${others} and ${last}` : `${others}, and ${last}`
  return `the values ${list} are not valid GraphQL enum value names`
}
