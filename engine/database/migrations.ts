import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client, DatabaseError } from 'pg'
import type { Log } from '../../lib/telemetry/log.ts'
import type { Config } from '../config.ts'
import { sourceName } from '../metadata/source-name.ts'
import { installHdbCatalog } from './hdb-catalog.ts'
import { LIFT_LIMITS, RESTORE_LIMITS } from './waiting-limits.ts'

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
    await installHdbCatalog(client)
    if (migrations.length === 0) return false
    await mayMigrate()
    const applied = await appliedVersions(client, source)
    let isAnyApplied = false
    for (const migration of migrations)
      if (
        !applied.has(migration.version) &&
        (await applyMigration(client, { source, log }, migration))
      )
        isAnyApplied = true
    return isAnyApplied
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

type Applying = { source: string; log: Log }

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

/**
 * Applies a migration, unless another engine has done so meanwhile: they take turns by a lock. All of it is one
 * transaction, the lock and what is set included, since a pooler may give the next one another session.
 *
 * @returns whether it was applied here
 */
async function applyMigration(
  client: Client,
  { source, log }: Applying,
  { version, folder }: Migration,
): Promise<boolean> {
  const text = await readFile(join(folder, 'up.sql'), 'utf8').catch((cause: unknown) => {
    throw new MigrationError(`${folder} has no up.sql that can be read`, { cause })
  })
  try {
    await client.query('begin')
    await client.query(TAKE_TURN)
    if ((await appliedVersions(client, source)).has(version)) {
      await client.query('rollback')
      return false
    }
    log.info({ version }, 'applying migration')
    await client.query(text)
    await client.query(RECORD, [source, version])
    // A migration may set a search path, which must not last for whoever has this session next.
    await client.query('reset all')
    await client.query('commit')
    return true
  } catch (cause) {
    await client.query('rollback')
    throw new MigrationError(`migration ${version}: ${describeFailure(cause, text)}`, { cause })
  }
}

/** Who waits for another engine waits as long as that one migrates; only then the limits of the role apply. */
const TAKE_TURN = `
${LIFT_LIMITS};
select pg_advisory_xact_lock(hashtext('hdb_catalog.migrations'));
${RESTORE_LIMITS}`

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
