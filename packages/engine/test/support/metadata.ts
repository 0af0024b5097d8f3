/** The metadata of a tracked table in the schema `public`; `rest` has the other members of the table's metadata. */
export function table(name: string, rest: object = {}): object {
  return { table: { schema: 'public', name }, ...rest }
}

/** Metadata with these tables in its only source; `rest` has the metadata's other members. */
export function metadata(tables: readonly object[], rest: object = {}): object {
  const configuration = {
    connection_info: { database_url: { from_env: 'HASURA_GRAPHQL_DATABASE_URL' } },
  }
  return {
    version: 3,
    sources: [{ name: 'default', kind: 'postgres', configuration, tables }],
    ...rest,
  }
}

/** The command that replaces the engine's metadata by this document. */
export function replace(document: object): object {
  return { type: 'replace_metadata', args: document }
}

/** The command that runs SQL. */
export function runSql(sql: string): object {
  return { type: 'run_sql', args: { sql } }
}
