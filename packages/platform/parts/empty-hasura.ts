import { z } from 'zod'

/** Asks a Hasura as admin: `GET` without a body. @throws Error with a sentence for the person at the terminal */
export type AskHasura = (path: string, body?: object) => Promise<unknown>

/** Asks the Hasura at an address. */
export function askHasuraAt(endpoint: string, adminSecret: string): AskHasura {
  return async (path, body) => {
    const response = await fetch(`${endpoint}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { 'content-type': 'application/json', 'x-hasura-admin-secret': adminSecret },
      ...(body && { body: JSON.stringify(body) }),
    }).catch((cause: unknown) => {
      throw new Error(`${endpoint} does not answer.`, { cause })
    })
    if (!response.ok)
      throw new Error(`${endpoint}${path}: ${response.status} ${await response.text()}`)
    return response.json()
  }
}

const Version = z.object({ version: z.string() })
const Counted = z.object({ result: z.tuple([z.unknown(), z.tuple([z.string()])]) })

const OTHERS = `
  select count(*)::text from pg_class join pg_namespace on pg_namespace.oid = relnamespace
  where relkind in ('r', 'v', 'm', 'p', 'f') and nspname !~ '^(pg_|information_schema$|hdb_)'
    and obj_description('public'::regnamespace, 'pg_namespace') is distinct from 'emptied by test:hasura'`

/**
 * Whether tests may use the database of a Hasura, which they empty: nothing is in it that others have put there.
 *
 * @returns its version
 * @throws Error with a sentence for the person at the terminal
 */
export async function requireEmptyHasura(endpoint: string, ask: AskHasura): Promise<string> {
  const { version } = Version.parse(await ask('/v1/version'))
  const args = { sql: OTHERS, source: 'default' }
  const tables = Counted.parse(await ask('/v2/query', { type: 'run_sql', args })).result[1][0]
  if (tables === '0') return version
  throw new Error(
    `The database of ${endpoint} already has ${tables} tables, which the tests would drop: they need a Hasura on an empty database.`,
  )
}

/** The statements that empty such a database. By the comment, it is recognised as one that may be emptied. */
export const EMPTY_DATABASE = `
  do $$ declare name text; begin
    for name in select nspname from pg_namespace where nspname !~ '^(pg_|information_schema$|hdb_)'
    loop execute format('drop schema %I cascade', name); end loop;
  end $$;
  create schema public;
  comment on schema public is 'emptied by test:hasura'`

/** Takes the comment of `EMPTY_DATABASE` away: whatever is put into the database from now on is somebody's. */
export const LEAVE_DATABASE = 'comment on schema public is null'

/** Finds out that a server is the embedded engine, which says in its database that it is one. */
export async function isEmbeddedEngine(ask: AskHasura): Promise<boolean> {
  const args = { sql: "select to_regclass('hdb_catalog.engine_notice')::text", source: 'default' }
  return Counted.parse(await ask('/v2/query', { type: 'run_sql', args })).result[1][0] !== 'NULL'
}
