import { Client } from 'pg'

/**
 * Lists the names of all relations (tables, views, indexes and so on), with and without their schemas, in all databases of the server.
 * Each source of a project has its own database.
 */
export async function relationNames(databaseUrl: string): Promise<ReadonlySet<string>> {
  const databases = await namesIn(
    databaseUrl,
    'select datname as name from pg_database where not datistemplate',
  )
  const names: string[] = []
  for (const database of databases)
    names.push(
      ...(await namesIn(
        Object.assign(new URL(databaseUrl), { pathname: `/${database}` }).href,
        RELATIONS,
      )),
    )
  return new Set(names)
}

const RELATIONS = `select unnest(array[relname, nspname || '.' || relname]) as name
  from pg_class join pg_namespace on pg_namespace.oid = relnamespace`

async function namesIn(url: string, query: string): Promise<string[]> {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    const { rows } = await client.query<{ name: string }>(query)
    return rows.map(({ name }) => name)
  } finally {
    await client.end()
  }
}
