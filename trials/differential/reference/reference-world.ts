import { type GraphqlServer, runSqlOn } from '../servers/graphql-server.ts'
import { expressionJson } from './expression-text.ts'
import type { Permission, TableName, World } from './reference.ts'

/** The tables that the reference knows. */
export const REFERENCE_SCHEMA = [
  'create table a (id int primary key, n int, t text collate "C")',
  'create table b (id int primary key, a_id int references a, n int, t text collate "C")',
  'create table c (id int primary key, b_id int references b, n int, t text collate "C")',
]

const NAMES: readonly TableName[] = ['a', 'b', 'c']

/** The statements that put a world's rows in the place of those that are there. */
export function rowStatements({ rows }: World): string[] {
  const inserts = NAMES.map(
    (table) =>
      `insert into ${table} select * from json_populate_recordset(null::${table}, ${sqlText(JSON.stringify(rows[table]))})`,
  )
  return ['truncate a, b, c', ...inserts]
}

/** A text as SQL writes it. */
function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** Metadata of the three tables, with these parts of each, such as permissions. */
export function referenceMetadata(
  parts: Partial<Record<TableName, object>>,
  inherited_roles: readonly object[] = [],
): object {
  const tables = NAMES.map((table) => ({ table, ...RELATIONSHIPS[table], ...parts[table] }))
  return { version: 3, sources: [{ name: 'default', kind: 'postgres', tables }], inherited_roles }
}

const RELATIONSHIPS = {
  a: {
    array_relationships: [
      { name: 'bs', using: { foreign_key_constraint_on: { table: 'b', column: 'a_id' } } },
    ],
  },
  b: {
    object_relationships: [{ name: 'a', using: { foreign_key_constraint_on: 'a_id' } }],
    array_relationships: [
      { name: 'cs', using: { foreign_key_constraint_on: { table: 'c', column: 'b_id' } } },
    ],
  },
  c: { object_relationships: [{ name: 'b', using: { foreign_key_constraint_on: 'b_id' } }] },
}

/** A role's select permission as metadata has it. */
export function selectPermission(role: string, permission: Permission): object {
  const { columns, filter, limit, aggregations } = permission
  return {
    role,
    permission: {
      columns,
      filter: expressionJson(filter),
      limit,
      allow_aggregations: aggregations,
    },
  }
}

/** Puts the rows and the metadata into the engine. @throws Error if it refuses either */
export async function stageWorld(
  server: GraphqlServer,
  world: World,
  metadata: object,
): Promise<void> {
  await stageRows(server, world)
  const replacing = { type: 'replace_metadata', version: 2, args: { metadata } }
  const { status, text } = await server.post('/v1/metadata', replacing)
  if (status !== 200) throw new Error(`replace_metadata: ${status} ${text}`)
}

/** Puts the world's rows in the place of those that are there. */
export async function stageRows(server: GraphqlServer, world: World): Promise<void> {
  await runSqlOn(server, rowStatements(world).join(';\n'))
}

/** The rows of a table in the order of their ids, as JSON. */
export async function rowsNow(server: GraphqlServer, table: TableName): Promise<unknown> {
  const [[text = '[]'] = []] = await runSqlOn(
    server,
    `select coalesce(json_agg(whole order by id), '[]') from ${table} whole`,
  )
  return JSON.parse(text)
}

/** The headers of the caller whose number the world has. */
export function callerOf({ session }: World, role = 'someone'): Record<string, string> {
  return { 'x-hasura-role': role, 'x-hasura-n': String(session) }
}
