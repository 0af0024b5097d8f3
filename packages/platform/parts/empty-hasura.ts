import { z } from 'zod'

/** Sends a request to a Hasura as admin; `GET` without a body. @throws Error with a message for the terminal */
export type AskHasura = (path: string, body?: object) => Promise<unknown>

/** Returns a function that sends requests to the Hasura at an address. */
export function createHasuraCaller(endpoint: string, adminSecret: string): AskHasura {
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
const SqlResult = z.object({ result: z.tuple([z.unknown(), z.tuple([z.string()])]) })

const COUNT_TABLES = `
  select count(*)::text from pg_class join pg_namespace on pg_namespace.oid = relnamespace
  where relkind in ('r', 'v', 'm', 'p', 'f') and nspname !~ '^(pg_|information_schema$|hdb_)'
    and obj_description('public'::regnamespace, 'pg_namespace') is distinct from 'emptied by test:hasura'`

/**
 * Makes sure that the database of a Hasura has no tables, since tests drop all tables. A database that earlier tests have
 * emptied may have tables.
 *
 * @returns the version of Hasura
 * @throws Error with a message for the terminal
 */
export async function requireEmptyHasura(endpoint: string, ask: AskHasura): Promise<string> {
  const { version } = Version.parse(await ask('/v1/version'))
  const args = { sql: COUNT_TABLES, source: 'default' }
  const tables = SqlResult.parse(await ask('/v2/query', { type: 'run_sql', args })).result[1][0]
  if (tables === '0') return version
  throw new Error(
    `The database of ${endpoint} has ${tables} tables, which the tests would drop. Use a Hasura with an empty database.`,
  )
}

/** The statements that empty a test database. They also set a comment, which allows later tests to empty the database again. */
export const EMPTY_DATABASE = `
  do $$ declare name text; begin
    for name in select nspname from pg_namespace where nspname !~ '^(pg_|information_schema$|hdb_)'
    loop execute format('drop schema %I cascade', name); end loop;
  end $$;
  create schema public;
  comment on schema public is 'emptied by test:hasura'`

/** Removes the comment of `EMPTY_DATABASE`, so that tests no longer empty the database. */
export const LEAVE_DATABASE = 'comment on schema public is null'

/** Returns whether a server is the embedded engine, which leaves a mark in its database. */
export async function isEmbeddedEngine(ask: AskHasura): Promise<boolean> {
  const args = { sql: "select to_regclass('hdb_catalog.engine_notice')::text", source: 'default' }
  return SqlResult.parse(await ask('/v2/query', { type: 'run_sql', args })).result[1][0] !== 'NULL'
}
