import { Client } from 'pg'

/** Runs SQL that has no parameters in a database, all of it or nothing. */
export async function runInDatabase(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url, application_name: 'engine project' })
  client.on('error', () => {})
  await client.connect()
  try {
    // Statements that are sent together are one transaction, unless they end it themselves.
    await client.query(sql)
  } finally {
    await client.end()
  }
}
