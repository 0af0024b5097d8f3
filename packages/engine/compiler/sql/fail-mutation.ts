import type { Pool } from 'pg'
import { ident, type Sql, sql } from '../../postgres/sql.ts'

/** The SQLSTATEs with which an operation aborts its transaction. */
export const FAILURES = {
  /** A row violates the check of a permission. */
  check: 'HG001',
  /** A nested insert needs a row that was not inserted. */
  zeroRows: 'HG002',
  /** A nested insert sets a value that another row determines. */
  determined: 'HG003',
  /** A query that needs exactly one row has none or several. */
  notOneRow: 'HG004',
} as const

/** Prints an expression that aborts the transaction when it is evaluated, so that a check needs no extra round trip. */
export function printFailure(kind: keyof typeof FAILURES, message: string): Sql {
  return sql`${ident('hdb_catalog', 'fail_mutation')}(${constantText(FAILURES[kind])}, ${constantText(message)})`
}

function constantText(value: string): Sql {
  return sql`(${{ type: TEXT, read: () => value }})::text`
}

const TEXT = { schema: 'pg_catalog', name: 'text', kind: 'b', element: null, base: null }

/** Creates the function that `printFailure` calls, if the database does not have it. */
export async function installFailMutation(pool: Pool): Promise<void> {
  const { rowCount } = await pool.query(FIND_FUNCTION)
  if (rowCount === 0) await pool.query(CREATE_FUNCTION)
}

const FIND_FUNCTION = `select from pg_proc join pg_namespace n on n.oid = pronamespace
  where n.nspname = 'hdb_catalog' and proname = 'fail_mutation'`

// A text with several statements is a single transaction. The lock serializes engines that start at the same time.
const CREATE_FUNCTION = `
select pg_advisory_xact_lock(hashtext('hdb_catalog'));
create schema if not exists hdb_catalog;
create or replace function hdb_catalog.fail_mutation(code text, reason text) returns text
language plpgsql as $$
begin
  raise exception using errcode = code, message = reason;
end $$`
