import type { Database } from '../database.ts'

/** Returns the names of all tables, in every schema of the project and of Hasura, with a row that contains the text. */
export async function findTablesWith(db: Pick<Database, 'query'>, text: string): Promise<string[]> {
  const { rows: tables } = await db.query<{ name: string }>(`
    select oid::regclass::text as name
    from pg_class
    where relkind in ('r', 'p')
      and not relispartition
      and relnamespace::regnamespace::text !~ '^(pg_|information_schema)'
    order by 1`)
  const tablesWithText: string[] = []
  for (const { name } of tables) {
    const query = `select from ${name} as row_of_table where strpos(lower(row_of_table::text), $1) > 0 limit 1`
    if ((await db.query(query, [text])).rowCount) tablesWithText.push(name)
  }
  return tablesWithText
}
