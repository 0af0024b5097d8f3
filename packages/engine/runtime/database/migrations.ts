import { readFile } from 'node:fs/promises'
import { Client, DatabaseError } from 'pg'
import type { Log } from '../../../../lib/runtime/log/log.ts'
import { Inconsistent } from '../../compiler/model/inconsistency.ts'
import {
  homeAddress,
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
 * Prepares the databases: creates the tables of `hdb_catalog` in that of the metadata, then applies the project's pending
 * migrations, source by source, oldest first, each in its own transaction. Applied versions are stored where the Hasura CLI
 * stores them. Engines that start together take turns.
 *
 * @param reading the metadata, which is still being read
 * @returns whether any was applied
 * @throws MigrationError at the first one that fails
 */
export async function prepareDatabase(
  config: Config,
  log: Log,
  reading: Promise<Metadata>,
): Promise<boolean> {
  // It is awaited later, or never, if there is no database.
  reading.catch(() => {})
  const home = await connect(config.databaseUrl, config)
  try {
    const metadata = await reading
    const { extensionsSchema } = homeAddress(config, metadata)
    await installHdbCatalog(home, { extensionsSchema, log })
    const listed = postgresSources(metadata)
    const sources = listed.length > 0 ? listed : emptyMetadata().sources
    const names = sources.map(({ name }) => name)
    const all =
      config.migrationsDir === null ? NONE : await readMigrations(config.migrationsDir, names)
    if ([...all.values()].every((migrations) => migrations.length === 0)) return false
    let count = 0
    for (const source of sources)
      count += await migrateSource(home, source, all.get(source.name) ?? [], { config, log })
    return count > 0
  } finally {
    await home.end()
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

type Surroundings = { config: Config; log: Log }

/** Applies the migrations of a source that are missing; returns how many were applied here, and not by another engine. */
async function migrateSource(
  home: Client,
  source: SourceMetadata,
  migrations: readonly Migration[],
  surroundings: Surroundings,
): Promise<number> {
  const applied = await appliedVersions(home, APPLIED, source.name)
  const missing = migrations.filter(({ version }) => !applied.has(version))
  if (missing.length === 0) return 0
  const place = await openPlace(home, source, surroundings)
  try {
    let count = 0
    for (const migration of missing) if (await place.apply(migration)) count += 1
    return count
  } finally {
    await place.close()
  }
}

/** Where the migrations of a source are applied; `apply` returns whether that was done here. */
type Place = { apply(migration: Migration): Promise<boolean>; close(): Promise<void> }

async function openPlace(
  home: Client,
  source: SourceMetadata,
  { config, log }: Surroundings,
): Promise<Place> {
  const { name } = source
  const { url, extensionsSchema } = migrationAddress(source, config)
  const isNoted = async (client: Client, note: string, version: string) =>
    (await appliedVersions(client, note, name)).has(version)
  if (url === config.databaseUrl)
    return {
      apply: (migration) =>
        applyMigration(home, migration, {
          note: APPLIED,
          source: name,
          log,
          isApplied: () => isNoted(home, APPLIED, migration.version),
        }),
      close: async () => {},
    }
  const installing = { extensionsSchema, log }
  const client = await connectWithCatalog(url, config, installing).catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new MigrationError(`the migrations of source "${name}": ${reason}`, { cause })
  })
  return {
    // No transaction spans two databases: what was noted in only one of them, before an engine broke off, is not applied again.
    async apply(migration) {
      const { version } = migration
      const isHere = await applyMigration(client, migration, {
        note: HALF_NOTED,
        source: name,
        log,
        // In this order: the half note is forgotten only when the other one is there.
        isApplied: async () =>
          (await isNoted(client, HALF_NOTED, version)) || (await isNoted(home, APPLIED, version)),
      })
      await home.query(RECORD, [APPLIED, name, version])
      await client.query(FORGET, [HALF_NOTED, name, version])
      return isHere
    },
    close: () => client.end(),
  }
}

async function connectWithCatalog(
  url: string,
  config: Config,
  installing: Parameters<typeof installHdbCatalog>[1],
): Promise<Client> {
  const client = await connect(url, config)
  try {
    await installHdbCatalog(client, installing)
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

/** The notes in `cli_state`: of applied versions, and of those that are not among these yet. */
const APPLIED = 'migrations'
const HALF_NOTED = 'engine_migrations'

async function appliedVersions(
  client: Client,
  note: string,
  source: string,
): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ version: string }>(
    `select applied.key as version
     from hdb_catalog.hdb_version
     cross join lateral jsonb_each(cli_state -> $1 -> $2) as applied
     where applied.value = 'false'`,
    [note, source],
  )
  return new Set(rows.map(({ version }) => withoutZeros(version)))
}

type Applying = {
  note: string
  source: string
  log: Log
  /** Whether another engine has applied it meanwhile. */
  isApplied(): Promise<boolean>
}

/**
 * Applies a migration, unless another engine has done so meanwhile: they take turns by a lock. All of it is one
 * transaction, the lock and what is set included, since a pooler may give the next one another session.
 *
 * @returns whether it was applied here
 */
async function applyMigration(
  client: Client,
  { version, file }: Migration,
  { note, source, log, isApplied }: Applying,
): Promise<boolean> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new MigrationError(`${file} cannot be read`, { cause })
  })
  try {
    // Otherwise what another engine has noted meanwhile would not be seen.
    await client.query('begin isolation level read committed')
    await client.query(TAKE_TURN)
    if (await isApplied()) {
      await client.query('rollback')
      return false
    }
    log.info({ source, version }, 'applying migration')
    // Noted first: a migration may have a commit of its own, with which the lock ends.
    await client.query(RECORD, [note, source, version])
    await client.query(text)
    // A migration may set a search path, which must not last for whoever has this session next.
    await client.query('reset all')
    await client.query('commit')
    return true
  } catch (cause) {
    await client.query('rollback')
    // There only after a commit of its own: then it failed half-way, and is tried again.
    await client.query(FORGET, [note, source, version])
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
