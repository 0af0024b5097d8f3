import fc from 'fast-check'
import { backwardName } from './random-conditions.ts'
import { randomPermissions, type TablePermissions } from './random-permissions.ts'
import { randomTables, type Table } from './random-tables.ts'
import { schemaStatements } from './schema-sql.ts'
import type { Caller, RandomWorld } from './world.ts'

const ROLES = ['one', 'two']

/** Generates tables with rows, their metadata, and callers. */
export function randomWorld(): fc.Arbitrary<RandomWorld> {
  return randomTables().chain((tables) =>
    fc.tuple(...tables.map((table) => randomRights(table, tables))).map((rights) => ({
      name: 'random',
      sql: schemaStatements(tables),
      metadata: metadataOf(tables, rights),
      env: {},
      path: '/v1/graphql',
      callers: CALLERS,
      keys: keysOf(tables),
      values: valuesOf(tables),
    })),
  )
}

const SESSION = { 'x-hasura-number': '2' }

/**
 * The callers of every world. `two without a number` lacks the session variable that permissions use. The role `nobody` has no
 * permissions.
 */
const CALLERS: readonly Caller[] = [
  { name: 'admin', headers: {} },
  { name: 'one', headers: { 'x-hasura-role': 'one', ...SESSION } },
  { name: 'two', headers: { 'x-hasura-role': 'two', ...SESSION } },
  { name: 'two without a number', headers: { 'x-hasura-role': 'two' } },
  { name: 'both', headers: { 'x-hasura-role': 'both', ...SESSION } },
  { name: 'nobody', headers: { 'x-hasura-role': 'nobody' } },
]

type Rights = Readonly<Record<string, TablePermissions>>

/** Generates the permissions of each role on a table. */
function randomRights(table: Table, tables: readonly Table[]): fc.Arbitrary<Rights> {
  const entries = ROLES.map((role) => [role, randomPermissions(table, tables)] as const)
  return fc.record(Object.fromEntries(entries))
}

function metadataOf(tables: readonly Table[], rights: readonly Rights[]): Record<string, unknown> {
  const functions = tables.flatMap(({ name }) => [
    { function: `${name}_from` },
    { function: `${name}_drop`, configuration: { exposed_as: 'mutation' } },
  ])
  const views = tables.map(({ name }) => ({ table: { schema: 'public', name: `${name}_few` } }))
  return {
    version: 3,
    sources: [
      {
        name: 'default',
        kind: 'postgres',
        tables: [...tables.map((table, i) => tableOf(table, tables, rights[i] ?? {})), ...views],
        functions,
      },
    ],
    inherited_roles: [{ role_name: 'both', role_set: ROLES }],
  }
}

function tableOf(table: Table, tables: readonly Table[], rights: Rights): object {
  const permissionsOf = (kind: keyof TablePermissions) =>
    Object.entries(rights).flatMap(([role, permissions]) => {
      const permission = permissions[kind]
      return permission ? [{ role, permission }] : []
    })
  return {
    table: { schema: 'public', name: table.name },
    object_relationships: table.parents.map(({ column, relationship }) => ({
      name: relationship,
      using: { foreign_key_constraint_on: column },
    })),
    array_relationships: tables.flatMap((child) =>
      child.parents
        .filter((parent) => parent.table === table.name)
        .map(({ column, relationship }) => ({
          name: backwardName(child, relationship),
          using: {
            foreign_key_constraint_on: { table: { schema: 'public', name: child.name }, column },
          },
        })),
    ),
    computed_fields: [
      {
        name: 'label',
        definition: { function: { schema: 'public', name: `${table.name}_label` } },
      },
    ],
    select_permissions: permissionsOf('select'),
    insert_permissions: permissionsOf('insert'),
    update_permissions: permissionsOf('update'),
    delete_permissions: permissionsOf('delete'),
  }
}

/** Returns the key columns of tables and views. A view has some of the rows of its table, so it has the same key. */
function keysOf(tables: readonly Table[]): RandomWorld['keys'] {
  return Object.fromEntries(
    tables.flatMap(({ name, key }) => {
      const columns = key.columns.map((column) => column.name)
      return [
        [name, columns],
        [`${name}_few`, columns],
      ]
    }),
  )
}

function valuesOf(tables: readonly Table[]): RandomWorld['values'] {
  const values: Record<string, unknown[]> = {
    Int: [1, 2, 3],
    String: ['a', 'p0', 'p1'],
    Float: [0, 1.5],
    float8: [0, 1.5],
    numeric: [0, 2.5],
    bigint: [0, 3],
  }
  for (const { columns } of tables)
    for (const { type } of columns) values[type.scalar] = [...type.values]
  return values
}
