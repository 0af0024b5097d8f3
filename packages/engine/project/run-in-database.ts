import { Client } from 'pg'

/** Runs SQL statements without parameters in a database, in one transaction. */
export async function runInDatabase(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url, application_name: 'engine project' })
  client.on('error', () => {})
  await client.connect()
  try {
    // PostgreSQL runs the statements of one message in one transaction, unless a statement ends the transaction.
    await client.query(sql)
  } finally {
    await client.end()
  }
}
