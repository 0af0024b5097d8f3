import { globSync, readFileSync } from 'node:fs'
import { load } from 'js-yaml'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { type Database, database } from '../support/database.ts'

// A comparison with null results in null. Readers of a permission cannot see whether null passes the check, so each check and
// filter must handle null explicitly.

const Permission = z.object({
  role: z.string(),
  permission: z.looseObject({ filter: z.unknown().optional(), check: z.unknown().optional() }),
})
const Relationship = z.object({
  name: z.string(),
  using: z.object({
    foreign_key_constraint_on: z
      .union([z.string(), z.object({ table: z.object({ name: z.string() }) })])
      .optional(),
    manual_configuration: z.object({ remote_table: z.object({ name: z.string() }) }).optional(),
  }),
})

const Table = z.looseObject({
  table: z.object({ name: z.string() }),
  object_relationships: z.array(Relationship).default([]),
  array_relationships: z.array(Relationship).default([]),
  select_permissions: z.array(Permission).default([]),
  insert_permissions: z.array(Permission).default([]),
  update_permissions: z.array(Permission).default([]),
  delete_permissions: z.array(Permission).default([]),
})

const tables = globSync('hasura/metadata/databases/default/tables/public_*.yaml').map((file) =>
  Table.parse(load(readFileSync(file, 'utf8'))),
)

const expressions = tables.flatMap((table) =>
  (['select', 'insert', 'update', 'delete'] as const).flatMap((kind) =>
    table[`${kind}_permissions`].flatMap(({ role, permission: { filter, check } }) =>
      [filter, check]
        .filter((expression) => expression !== undefined)
        .map((expression) => ({ kind, table: table.table.name, role, expression })),
    ),
  ),
)

let db: Database
let nullable: Set<string>
/** The table that a column refers to, by `table.column`. */
let targetTables: Map<string, string>

beforeAll(async () => {
  db = await database('platform')
  // Excludes views: PostgreSQL reports each of their columns as nullable, but this project's views select only keys and constants, which are never null.
  const columns = await db.query(
    `select table_name || '.' || column_name as name
    from information_schema.columns
    join information_schema.tables using (table_schema, table_name)
    where table_schema = 'public' and table_type = 'BASE TABLE' and is_nullable = 'YES'`,
  )
  nullable = new Set(columns.rows.map(({ name }) => name))
  const keys = await db.query(
    `select relation.relname || '.' || attname as name, target.relname as target
    from pg_constraint
    join pg_class relation on relation.oid = conrelid
    join pg_class target on target.oid = confrelid
    join pg_attribute on attrelid = conrelid and attnum = conkey[1]
    where contype = 'f'`,
  )
  targetTables = new Map(keys.rows.map(({ name, target }) => [name, target]))
})
afterAll(() => db.drop())

test('this test finds more than 50 filters and checks in the metadata', () => {
  expect(expressions.length).toBeGreaterThan(50)
})

test('no permission compares a nullable column without _is_null', () => {
  const unsafeComparisons = expressions.flatMap(({ kind, table, role, expression }) =>
    comparedColumns(table, expression)
      .filter((column) => nullable.has(column))
      .map((column) => `${kind} ${table} as ${role}: ${column}`),
  )
  expect(unsafeComparisons).toEqual([])
})

/** Returns the columns, as `table.column`, that an expression compares with a value without `_is_null`. */
function comparedColumns(table: string, expression: unknown): string[] {
  if (Array.isArray(expression)) return expression.flatMap((part) => comparedColumns(table, part))
  if (typeof expression !== 'object' || expression === null) return []
  return Object.entries(expression).flatMap(([key, value]: [string, unknown]) => {
    const { data: exists } = key === '_exists' ? Exists.safeParse(value) : {}
    if (exists) return comparedColumns(exists._table.name, exists._where)
    if (key.startsWith('_')) return comparedColumns(table, value)
    const remote = remoteTable(table, key)
    if (remote) return comparedColumns(remote, value)
    const operators = typeof value === 'object' && value !== null ? Object.keys(value) : []
    return operators.includes('_is_null') ? [] : [`${table}.${key}`]
  })
}

const Exists = z.object({ _table: z.object({ name: z.string() }), _where: z.unknown() })

/** Returns the table at the other end of a relationship; undefined for a column. */
function remoteTable(table: string, name: string): string | undefined {
  const trackedTable = tables.find((one) => one.table.name === table)
  const relationships = [
    ...(trackedTable?.object_relationships ?? []),
    ...(trackedTable?.array_relationships ?? []),
  ]
  const using = relationships.find((one) => one.name === name)?.using
  if (!using) return undefined
  const { foreign_key_constraint_on: key, manual_configuration: manual } = using
  if (typeof key === 'string') return targetTables.get(`${table}.${key}`)
  return key?.table.name ?? manual?.remote_table.name
}
