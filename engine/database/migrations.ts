import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client, DatabaseError } from 'pg'
import type { Log } from '../../lib/telemetry/log.ts'
import type { Config } from '../config.ts'
import { sourceName } from '../metadata/source-name.ts'
import { installHdbCatalog } from './hdb-catalog.ts'

/** A migration cannot be read, or it failed and was rolled back. */
class MigrationError extends Error {
  override readonly name = 'MigrationError'
}

/**
 * Prepares the database: creates the tables of `hdb_catalog`, then applies the project's pending migrations,
 * oldest first, each in its own transaction. Applied versions are stored where the Hasura CLI stores them.
 * Engines that start together take turns.
 *
 * @param mayMigrate resolves before the first migration is applied; throws to refuse all
 * @returns whether any was applied
 * @throws MigrationError at the first one that fails
 */
export async function prepareDatabase(
  { databaseUrl, metadataDir, migrationsDir, connectTimeoutMs }: Config,
  log: Log,
  mayMigrate: () => Promise<void>,
): Promise<boolean> {
  const source = await sourceName(metadataDir)
  const migrations = migrationsDir === null ? [] : await readMigrations(migrationsDir, source)
  const client = new Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: connectTimeoutMs,
    application_name: 'engine start',
  })
  client.on('error', () => {})
  await client.connect()
  try {
    // Whoever starts beside another engine waits as long as that one migrates, whatever the limits of the role.
    await client.query(`select set_config(name, '0', false) from pg_settings
      where name in ('statement_timeout', 'lock_timeout', 'transaction_timeout')`)
    await installHdbCatalog(client)
    if (migrations.length === 0) return false
    await mayMigrate()
    await client.query(`select pg_advisory_lock(hashtext('hdb_catalog.migrations'))`)
    await client.query('reset all')
    const applied = await appliedVersions(client, source)
    const missing = migrations.filter(({ version }) => !applied.has(version))
    for (const migration of missing) {
      log.info({ version: migration.version }, 'applying migration')
      await applyMigration(client, source, migration)
    }
    return missing.length > 0
  } finally {
    await client.end()
  }
}

/** A migration of the project: its version, without its name, and its folder, which has `up.sql`. */
export type Migration = { version: string; folder: string }

/**
 * The migrations of a project, oldest first; none where the folder is missing.
 *
 * @throws MigrationError where two have one version
 */
export async function readMigrations(migrationsDir: string, source: string): Promise<Migration[]> {
  if (!existsSync(migrationsDir)) return []
  const entries = await readdir(migrationsDir, { withFileTypes: true })
  // Projects of config v3 have a folder per database, older ones the versions themselves.
  const nested = entries.some((entry) => entry.isDirectory() && entry.name === source)
  const folder = nested ? join(migrationsDir, source) : migrationsDir
  const names = nested ? await readdir(folder) : entries.map((entry) => entry.name)
  const migrations = names
    .flatMap((name) => {
      const version = /^\d+/.exec(name)?.[0]
      return version === undefined ? [] : [{ version, folder: join(folder, name) }]
    })
    .sort((a, b) => Number(BigInt(a.version) - BigInt(b.version)))
  migrations.forEach(refuseSameVersion)
  return migrations
}

/** Refuses two migrations with one version: the second would never be applied. */
function refuseSameVersion(
  { version, folder }: Migration,
  i: number,
  sorted: readonly Migration[],
) {
  const before = sorted[i - 1]
  if (before && BigInt(before.version) === BigInt(version))
    throw new MigrationError(
      `two migrations have the version ${version}: ${before.folder}, ${folder}`,
    )
}

async function appliedVersions(client: Client, source: string): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ version: string }>(
    `select applied.key as version
     from hdb_catalog.hdb_version
     cross join lateral jsonb_each(cli_state -> 'migrations' -> $1) as applied
     where applied.value = 'false'`,
    [source],
  )
  return new Set(rows.map(({ version }) => version))
}

async function applyMigration(client: Client, source: string, { version, folder }: Migration) {
  const text = await readFile(join(folder, 'up.sql'), 'utf8').catch((cause: unknown) => {
    throw new MigrationError(`${folder} has no up.sql that can be read`, { cause })
  })
  try {
    await client.query('begin')
    await client.query(text)
    await client.query(RECORD, [source, version])
    await client.query('commit')
  } catch (cause) {
    await client.query('rollback')
    throw new MigrationError(`migration ${version}: ${describeFailure(cause, text)}`, { cause })
  } finally {
    // A migration may set a search path, which must not last for the next one.
    await client.query('reset all')
  }
}

const RECORD = `
update hdb_catalog.hdb_version
set cli_state = cli_state || jsonb_build_object(
  'migrations', coalesce(cli_state -> 'migrations', '{}') || jsonb_build_object(
    $1::text, coalesce(cli_state -> 'migrations' -> $1, '{}') || jsonb_build_object($2::text, false)
  )
)`

function describeFailure(cause: unknown, text: string): string {
  if (!(cause instanceof DatabaseError)) return String(cause)
  if (cause.position === undefined) return cause.message
  const line = text.slice(0, Number(cause.position)).split('\n').length
  return `${cause.message} (line ${line})`
}
