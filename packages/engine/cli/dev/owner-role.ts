import { Client, escapeIdentifier, escapeLiteral } from 'pg'
import { handOverObjects } from './hand-over-objects.ts'
import { trustExtensions } from './trust-extensions.ts'

/** The role that runs a project's SQL. It has the usual name of PostgreSQL's first role, because dumps name that role as the owner. */
const OWNER = 'postgres'

/** The new name of PostgreSQL's first role. The role can no longer log in, but PostgreSQL requires that it stays a superuser. */
const FIRST_ROLE = 'dev_first_role'

/** The superuser that `dev` creates. Only `dev` has its password. */
const SUPERUSER = 'dev_superuser'

/** The name of the new owner until it owns everything that the first role owned. */
const DRAFT = 'dev_owner'

type Passwords = { owner: string; superuser: string }

/**
 * Makes sure that the role `postgres` of a local PostgreSQL is no superuser. A superuser can run programs (`COPY … FROM PROGRAM`)
 * and read files as the account that runs PostgreSQL. Every caller of an engine without a secret can send SQL.
 *
 * In new data, and in data that an earlier version of dev created, `postgres` is the first role, a superuser. A new role replaces
 * it. The new role may create databases and roles, and owns everything that `postgres` owned.
 *
 * @param url the address with the role `postgres`
 */
export async function separateSuperuser(url: string, passwords: Passwords): Promise<void> {
  if (await isSuperuser(url)) {
    await withClient(url, (client) => client.query(createSuperuser(passwords.superuser)))
    const asSuperuser = superuserAddress(url, passwords.superuser)
    await withClient(asSuperuser, (client) => replaceFirstRole(asSuperuser, client, passwords))
  }
  await withClient(superuserAddress(url, passwords.superuser), async (client) => {
    // Only members of pg_monitor may read the views of extensions such as pg_buffercache.
    await client.query(`grant pg_monitor to ${OWNER}`)
    await trustExtensions(client)
  })
}

function isSuperuser(url: string): Promise<boolean> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ rolsuper: boolean }>(
      'select rolsuper from pg_roles where rolname = $1',
      [OWNER],
    )
    return rows[0]?.rolsuper === true
  })
}

/** Returns the statements that create the superuser, also after an interrupted attempt. */
const createSuperuser = (password: string) => `
drop role if exists ${SUPERUSER};
create role ${SUPERUSER} superuser login password ${escapeLiteral(password)}`

/** Hands all objects over before it renames the roles, so that the next start can repeat an interrupted attempt. */
async function replaceFirstRole(url: string, client: Client, { owner }: Passwords): Promise<void> {
  await client.query(`
do $$
begin
  if to_regrole('${DRAFT}') is null then create role ${DRAFT}; end if;
end
$$`)
  const { rows: databases } = await client.query<{ name: string }>(
    'select datname as name from pg_database where datallowconn',
  )
  for (const { name } of databases)
    await withClient(superuserAddress(url, '', name), (other) => handOverObjects(other, DRAFT))
  const handedOver = databases.filter(({ name }) => name !== 'template1')
  await client.query(
    [
      'begin',
      ...handedOver.map(({ name }) => `alter database ${escapeIdentifier(name)} owner to ${DRAFT}`),
      `alter role ${OWNER} rename to ${FIRST_ROLE}`,
      `alter role ${FIRST_ROLE} nologin password null`,
      `alter role ${DRAFT} rename to ${OWNER}`,
      `alter role ${OWNER} with login createdb createrole password ${escapeLiteral(owner)}`,
      // Seeds written by pg_dump may set this parameter.
      `grant set on parameter session_replication_role to ${OWNER}`,
      'commit',
    ].join(';\n'),
  )
}

/** Returns a database's address for the superuser. If `password` is empty, keeps the password of `url`. */
function superuserAddress(url: string, password: string, database?: string): string {
  return Object.assign(new URL(url), {
    username: SUPERUSER,
    ...(password && { password }),
    ...(database && { pathname: `/${encodeURIComponent(database)}` }),
  }).href
}

/** Connects with a fixed search path, because the owner could set a path that makes the superuser run the owner's functions. */
async function withClient<Result>(
  connectionString: string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const options = '-c search_path=pg_catalog'
  const client = new Client({ connectionString, options, application_name: 'engine dev' })
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
