import type { Pool } from 'pg'

/** SQLSTATE of a row that a permission's `check` refuses. */
export const CHECK_FAILED = 'HG001'

/**
 * Makes sure that the database has the function which a mutation calls to fail its own transaction
 * when a row breaks a permission's check: so one round trip is enough, whatever the verdict.
 */
export async function installCheck(pool: Pool): Promise<void> {
  const { rowCount } = await pool.query(PRESENT)
  if (rowCount === 0) await pool.query(INSTALL)
}

const PRESENT = `select from pg_proc join pg_namespace n on n.oid = pronamespace
  where n.nspname = 'hdb_catalog' and proname = 'permission_check_failed'`

// One text is one transaction; the lock keeps two engines that start together from colliding.
const INSTALL = `
select pg_advisory_xact_lock(hashtext('hdb_catalog'));
create schema if not exists hdb_catalog;
create or replace function hdb_catalog.permission_check_failed() returns json language plpgsql as $$
begin
  raise exception using
    errcode = '${CHECK_FAILED}',
    message = 'check constraint of an insert/update permission has failed';
end $$`
