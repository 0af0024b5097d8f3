import { readFileSync } from 'node:fs'
import { Client, escapeLiteral } from 'pg'

/** The address of the database for each of its users. */
export type DatabaseUrls = {
  /** The superuser's address, or the address that the operator set. */
  databaseUrl: string
  hasuraUrl: string
  signInUrl: string
  /** The address for the engine that delivers events, if `hasuraUrl` goes through a pooler. */
  deliveryUrl?: string
}

type Passwords = { hasura: string; signIn: string }

const FILE = new URL('../../../ops/roles.sql', import.meta.url)

/**
 * Creates the roles of ops/roles.sql in a database. Existing roles get these passwords.
 *
 * @param databaseUrl the address with a superuser's name
 */
export async function createRoles(
  databaseUrl: string,
  passwords: Passwords,
): Promise<DatabaseUrls> {
  const client = new Client(databaseUrl)
  // Ignores errors of the connection, because the current statement throws them, too.
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query(rolesStatements(passwords))
  } finally {
    await client.end()
  }
  return {
    databaseUrl,
    hasuraUrl: urlForRole(databaseUrl, 'hasura', passwords.hasura),
    signInUrl: urlForRole(databaseUrl, 'sign_in', passwords.signIn),
  }
}

/** Reads the SQL as psql does: removes psql's commands and fills in its variables. */
function rolesStatements({ hasura, signIn }: Passwords): string {
  return readFileSync(FILE, 'utf8')
    .replaceAll(/^\\.*$/gm, '')
    .replace(":'hasura_password'", () => escapeLiteral(hasura))
    .replace(":'sign_in_password'", () => escapeLiteral(signIn))
}

function urlForRole(databaseUrl: string, username: string, password: string): string {
  return Object.assign(new URL(databaseUrl), { username, password }).href
}
