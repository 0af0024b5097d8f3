import { Client, escapeIdentifier, escapeLiteral } from 'pg'
import { handOverObjects } from './hand-over-objects.ts'
import { trustExtensions } from './trust-extensions.ts'

/** The role that a project's SQL runs as. PostgreSQL's first role has this name, and so have the owners in dumps. */
const OWNER = 'postgres'

/** The name that the first role gets: it stays a superuser for ever, and cannot log in any more. */
const FIRST_ROLE = 'dev_first_role'

/** The superuser that only `dev` knows the password of. */
const SUPERUSER = 'dev_superuser'

/** The owner while an earlier version's data is handed over to it. */
const DRAFT = 'dev_owner'

type Passwords = { owner: string; superuser: string }

/**
 * Makes sure that the role `postgres` of a local PostgreSQL is no superuser: a superuser runs programs (`COPY … FROM PROGRAM`)
 * and reads files as the account that started the server, and every caller of an engine without a secret may send SQL.
 *
 * In new data, and in that of an earlier version, `postgres` is the first role, which is a superuser. It makes way for a role
 * that may make databases and roles, and that owns what `postgres` owned.
 *
 * @param url of the role `postgres`
 */
export async function separateSuperuser(url: string, passwords: Passwords): Promise<void> {
  if (await isSuperuser(url)) {
    await withClient(url, (client) => client.query(madeSuperuser(passwords.superuser)))
    const asSuperuser = superuserAddress(url, passwords.superuser)
    await withClient(asSuperuser, (client) => replaceFirstRole(asSuperuser, client, passwords))
  }
  await withClient(superuserAddress(url, passwords.superuser), async (client) => {
    // The views of extensions such as pg_buffercache are for members of this role alone.
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

/** Repeats nothing of an earlier attempt that was interrupted. */
const madeSuperuser = (password: string) => `
drop role if exists ${SUPERUSER};
create role ${SUPERUSER} superuser login password ${escapeLiteral(password)}`

/** Hands everything over first: an attempt that is interrupted is made again by the next start. */
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
  const owned = databases.filter(({ name }) => name !== 'template1')
  await client.query(
    [
      'begin',
      ...owned.map(({ name }) => `alter database ${escapeIdentifier(name)} owner to ${DRAFT}`),
      `alter role ${OWNER} rename to ${FIRST_ROLE}`,
      `alter role ${FIRST_ROLE} nologin password null`,
      `alter role ${DRAFT} rename to ${OWNER}`,
      `alter role ${OWNER} with login createdb createrole password ${escapeLiteral(owner)}`,
      // Seeds that pg_dump wrote may set it.
      `grant set on parameter session_replication_role to ${OWNER}`,
      'commit',
    ].join(';\n'),
  )
}

/** The address of a database for the superuser; without a password, that of `url`. */
function superuserAddress(url: string, password: string, database?: string): string {
  return Object.assign(new URL(url), {
    username: SUPERUSER,
    ...(password && { password }),
    ...(database && { pathname: `/${encodeURIComponent(database)}` }),
  }).href
}

/** The owner may set the search path of their databases, which must not lead a superuser to functions of theirs. */
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
