import { type GraphqlServer, runSqlOn } from '../servers/graphql-server.ts'
import { expressionJson } from './expression-text.ts'
import type { Permission, TableName, World } from './reference.ts'

/** The statements that create the tables of the reference. */
export const REFERENCE_SCHEMA = [
  'create table a (id int primary key, n int, t text collate "C")',
  'create table b (id int primary key, a_id int references a, n int, t text collate "C")',
  'create table c (id int primary key, b_id int references b, n int, t text collate "C")',
]

const NAMES: readonly TableName[] = ['a', 'b', 'c']

/** Writes the statements that replace the rows of the tables by the world's rows. */
export function rowStatements({ rows }: World): string[] {
  const inserts = NAMES.map(
    (table) =>
      `insert into ${table} select * from json_populate_recordset(null::${table}, ${sqlText(JSON.stringify(rows[table]))})`,
  )
  return ['truncate a, b, c', ...inserts]
}

function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** Writes the metadata of the three tables, with further parts of each table, such as permissions. */
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

/** Writes a role's select permission in the form of metadata. */
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

/** Puts the rows and the metadata into the engine. @throws Error if the engine rejects them */
export async function stageWorld(
  server: GraphqlServer,
  world: World,
  metadata: object,
): Promise<void> {
  await stageRows(server, world)
  const command = { type: 'replace_metadata', version: 2, args: { metadata } }
  const { status, text } = await server.post('/v1/metadata', command)
  if (status !== 200) throw new Error(`replace_metadata: ${status} ${text}`)
}

/** Replaces the rows of the tables by the world's rows. */
export async function stageRows(server: GraphqlServer, world: World): Promise<void> {
  await runSqlOn(server, rowStatements(world).join(';\n'))
}

/** Reads the rows of a table, sorted by id. */
export async function selectRows(server: GraphqlServer, table: TableName): Promise<unknown> {
  const [[text = '[]'] = []] = await runSqlOn(
    server,
    `select coalesce(json_agg(whole order by id), '[]') from ${table} whole`,
  )
  return JSON.parse(text)
}

/** Returns the headers of a caller with the world's session number. */
export function callerOf({ session }: World, role = 'someone'): Record<string, string> {
  return { 'x-hasura-role': role, 'x-hasura-n': String(session) }
}
