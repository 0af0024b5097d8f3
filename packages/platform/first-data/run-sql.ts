type Hasura = { endpoint: string; adminSecret: string }

/**
 * Runs SQL through Hasura, in one transaction, as `hasura seed apply` does.
 *
 * @throws Error with Hasura's message
 */
export async function runSqlThroughHasura(
  { endpoint, adminSecret }: Hasura,
  sql: string,
): Promise<void> {
  const response = await fetch(`${endpoint}/v2/query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-hasura-admin-secret': adminSecret },
    body: JSON.stringify({ type: 'run_sql', args: { source: 'default', sql } }),
  })
  if (!response.ok) throw new Error(`Hasura rejected SQL: ${await response.text()}`)
}
