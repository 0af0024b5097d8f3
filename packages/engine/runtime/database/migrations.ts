import { readFile } from 'node:fs/promises'
import { Client, DatabaseError } from 'pg'
import type { Log } from '../../../../lib/runtime/log/log.ts'
import { Inconsistent } from '../../compiler/model/inconsistency.ts'
import {
  metadataDatabaseAddress,
  postgresSources,
  type SourceAddress,
  sourceAddress,
} from '../../compiler/model/source-address.ts'
import type { Config } from '../../config/config.ts'
import { emptyMetadata, type Metadata, type SourceMetadata } from '../../metadata/metadata.ts'
import { installHdbCatalog } from './hdb-catalog.ts'
import { type Migration, MigrationError, readMigrations, withoutZeros } from './migration-files.ts'
import { LIFT_LIMITS, RESTORE_LIMITS } from './waiting-limits.ts'

/**
 * Creates the tables of `hdb_catalog` in the metadata's database, then applies the project's pending migrations. Migrations run
 * source by source, oldest first, each in its own transaction. Records applied versions where Hasura's CLI also records them.
 * Engines that start together take turns.
 *
 * @param pendingMetadata the metadata, which may still be loading
 * @returns true if a migration was applied
 * @throws MigrationError at the first failed migration
 */
export async function prepareDatabase(
  config: Config,
  log: Log,
  pendingMetadata: Promise<Metadata>,
): Promise<boolean> {
  // Handles a rejection here, because the promise is awaited later, or never if the database is unreachable.
  pendingMetadata.catch(() => {})
  const metadataClient = await connect(config.databaseUrl, config)
  try {
    const metadata = await pendingMetadata
    const { extensionsSchema } = metadataDatabaseAddress(config, metadata)
    await installHdbCatalog(metadataClient, { extensionsSchema, log })
    const databases = postgresSources(metadata)
    const sources = databases.length > 0 ? databases : emptyMetadata().sources
    const names = sources.map(({ name }) => name)
    const migrationsBySource =
      config.migrationsDir === null ? NONE : await readMigrations(config.migrationsDir, names)
    if ([...migrationsBySource.values()].every((migrations) => migrations.length === 0))
      return false
    let count = 0
    for (const source of sources)
      count += await migrateSource(
        metadataClient,
        source,
        migrationsBySource.get(source.name) ?? [],
        { config, log },
      )
    return count > 0
  } finally {
    await metadataClient.end()
  }
}

const NONE: ReadonlyMap<string, readonly Migration[]> = new Map()

async function connect(url: string, { connectTimeoutMs }: Config): Promise<Client> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    application_name: 'engine start',
  })
  client.on('error', () => {})
  await client.connect()
  return client
}

type MigrationContext = { config: Config; log: Log }

/** Applies the missing migrations of a source. Returns how many this engine applied; another engine may have applied the rest. */
async function migrateSource(
  metadataClient: Client,
  source: SourceMetadata,
  migrations: readonly Migration[],
  context: MigrationContext,
): Promise<number> {
  const appliedVersionSet = await appliedVersions(metadataClient, APPLIED, source.name)
  const pendingMigrations = migrations.filter(({ version }) => !appliedVersionSet.has(version))
  if (pendingMigrations.length === 0) return 0
  const target = await openTarget(metadataClient, source, context)
  try {
    let count = 0
    for (const migration of pendingMigrations) if (await target.apply(migration)) count += 1
    return count
  } finally {
    await target.close()
  }
}

/** A source's database for migrations. `apply` returns false if another engine applied the migration first. */
type MigrationTarget = { apply(migration: Migration): Promise<boolean>; close(): Promise<void> }

async function openTarget(
  metadataClient: Client,
  source: SourceMetadata,
  { config, log }: MigrationContext,
): Promise<MigrationTarget> {
  const { name } = source
  const { url, extensionsSchema } = migrationAddress(source, config)
  const isRecorded = async (client: Client, record: string, version: string) =>
    (await appliedVersions(client, record, name)).has(version)
  if (url === config.databaseUrl)
    return {
      apply: (migration) =>
        applyMigration(metadataClient, migration, {
          record: APPLIED,
          source: name,
          log,
          isApplied: () => isRecorded(metadataClient, APPLIED, migration.version),
        }),
      close: async () => {},
    }
  const options = { extensionsSchema, log }
  const client = await connectWithCatalog(url, config, options).catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new MigrationError(`the migrations of source "${name}": ${reason}`, { cause })
  })
  return {
    // No transaction spans two databases. So the source's database also records the version, until the metadata's database has it.
    // Because of this record, a migration is not applied again if an engine ends between the two records.
    async apply(migration) {
      const { version } = migration
      const wasApplied = await applyMigration(client, migration, {
        record: UNCONFIRMED,
        source: name,
        log,
        // The unconfirmed record is read first, because it is deleted only after the applied record is written.
        isApplied: async () =>
          (await isRecorded(client, UNCONFIRMED, version)) ||
          (await isRecorded(metadataClient, APPLIED, version)),
      })
      await metadataClient.query(RECORD, [APPLIED, name, version])
      await client.query(FORGET, [UNCONFIRMED, name, version])
      return wasApplied
    },
    close: () => client.end(),
  }
}

async function connectWithCatalog(
  url: string,
  config: Config,
  options: Parameters<typeof installHdbCatalog>[1],
): Promise<Client> {
  const client = await connect(url, config)
  try {
    await installHdbCatalog(client, options)
    return client
  } catch (error) {
    await client.end()
    throw error
  }
}

function migrationAddress(source: SourceMetadata, config: Config): SourceAddress {
  try {
    return sourceAddress(source, config)
  } catch (cause) {
    if (!(cause instanceof Inconsistent)) throw cause
    throw new MigrationError(`the migrations of source "${source.name}": ${cause.message}`, {
      cause,
    })
  }
}

/** The keys in `cli_state`: for applied versions, and for versions that the metadata's database may not have recorded yet. */
const APPLIED = 'migrations'
const UNCONFIRMED = 'engine_migrations'

async function appliedVersions(
  client: Client,
  record: string,
  source: string,
): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ version: string }>(
    `select applied.key as version
     from hdb_catalog.hdb_version
     cross join lateral jsonb_each(cli_state -> $1 -> $2) as applied
     where applied.value = 'false'`,
    [record, source],
  )
  return new Set(rows.map(({ version }) => withoutZeros(version)))
}

type ApplyOptions = {
  /** The key in `cli_state`. */
  record: string
  source: string
  log: Log
  /** Reports whether another engine has applied the migration. */
  isApplied(): Promise<boolean>
}

/**
 * Applies a migration, unless another engine has applied it. Engines take turns with a lock. The lock, the settings and the
 * migration share one transaction, because a pooler may give the next transaction another session.
 *
 * @returns false if another engine has applied it
 */
async function applyMigration(
  client: Client,
  { version, file }: Migration,
  { record, source, log, isApplied }: ApplyOptions,
): Promise<boolean> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new MigrationError(`cannot read ${file}`, { cause })
  })
  try {
    // With a stricter isolation, this transaction would not see a record that another engine has just written.
    await client.query('begin isolation level read committed')
    await client.query(TAKE_TURN)
    if (await isApplied()) {
      await client.query('rollback')
      return false
    }
    log.info({ source, version }, 'applying migration')
    // Recorded first, because a migration may contain a commit, which releases the lock.
    await client.query(RECORD, [record, source, version])
    await client.query(text)
    // A migration may set a search path, which must not affect the next user of this session.
    await client.query('reset all')
    await client.query('commit')
    return true
  } catch (cause) {
    await client.query('rollback')
    // After the rollback, there is a record only if the migration contained a commit and failed later. Without the record, the next
    // start tries the migration again.
    await client.query(FORGET, [record, source, version])
    throw new MigrationError(`migration ${version}: ${describeFailure(cause, text)}`, { cause })
  }
}

/** Waits without a time limit while another engine migrates. Then the limits of the role apply again. */
const TAKE_TURN = `
${LIFT_LIMITS};
select pg_advisory_xact_lock(hashtext('hdb_catalog.migrations'));
${RESTORE_LIMITS}`

const RECORD = `
update hdb_catalog.hdb_version
set cli_state = cli_state || jsonb_build_object(
  $1::text, coalesce(cli_state -> $1, '{}') || jsonb_build_object(
    $2::text, coalesce(cli_state -> $1 -> $2, '{}') || jsonb_build_object($3::text, false)
  )
)`

const FORGET = `
update hdb_catalog.hdb_version set cli_state = cli_state #- array[$1, $2, $3]::text[]`

function describeFailure(cause: unknown, text: string): string {
  if (!(cause instanceof DatabaseError)) return String(cause)
  if (cause.position === undefined) return cause.message
  const line = text.slice(0, Number(cause.position)).split('\n').length
  return `${cause.message} (line ${line})`
}
