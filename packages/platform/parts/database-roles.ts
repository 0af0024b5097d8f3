import { readFileSync } from 'node:fs'
import { Client, escapeLiteral } from 'pg'

/** The database as each of its users reaches it. */
export type DatabaseUrls = {
  /** The superuser's, or whatever the operator gave. */
  databaseUrl: string
  hasuraUrl: string
  signInUrl: string
  /** Where an engine connects that delivers, when `hasuraUrl` leads through a pooler. */
  deliveryUrl?: string
}

type Passwords = { hasura: string; signIn: string }

const FILE = new URL('../../../ops/roles.sql', import.meta.url)

/**
 * Makes the roles of ops/roles.sql in a database; roles that exist get these passwords.
 *
 * @param databaseUrl of a superuser
 */
export async function createRoles(
  databaseUrl: string,
  passwords: Passwords,
): Promise<DatabaseUrls> {
  const client = new Client(databaseUrl)
  // The statement under way is told, too.
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query(rolesStatements(passwords))
  } finally {
    await client.end()
  }
  return {
    databaseUrl,
    hasuraUrl: urlAs(databaseUrl, 'hasura', passwords.hasura),
    signInUrl: urlAs(databaseUrl, 'sign_in', passwords.signIn),
  }
}

/** Does psql's part: leaves out its own lines, and fills in its variables. */
function rolesStatements({ hasura, signIn }: Passwords): string {
  return readFileSync(FILE, 'utf8')
    .replaceAll(/^\\.*$/gm, '')
    .replace(":'hasura_password'", () => escapeLiteral(hasura))
    .replace(":'sign_in_password'", () => escapeLiteral(signIn))
}

function urlAs(databaseUrl: string, username: string, password: string): string {
  return Object.assign(new URL(databaseUrl), { username, password }).href
}
