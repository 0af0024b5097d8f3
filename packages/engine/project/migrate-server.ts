import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { sourceNames } from '../metadata/folder/source-names.ts'
import {
  type Migration,
  readMigrations,
  withoutZeros,
} from '../runtime/database/migration-files.ts'
import type { Project } from './project.ts'
import type { ServerConnection } from './server-connection.ts'

/** The project's migrations of a source, and the migrations that the server does not have yet. */
export type MigrationStatus = {
  source: string
  all: readonly Migration[]
  missing: readonly Migration[]
  /** Versions applied on the server that the project does not have. */
  unknown: readonly string[]
}

/**
 * Compares the project's migrations of each source with the versions recorded on the server by Hasura's command line or by `apply`.
 */
export async function migrationStatus(
  { metadataDir, migrationsDir }: Project,
  server: ServerConnection,
): Promise<readonly MigrationStatus[]> {
  const sources = await sourceNames(metadataDir)
  const [migrations, { migrations: records = {} }] = await Promise.all([
    readMigrations(migrationsDir, sources),
    readState(server),
  ])
  return sources.map((source) => {
    const all = migrations.get(source) ?? []
    const applied = appliedVersions(records[source] ?? {})
    const projectVersions = new Set(all.map(({ version }) => version))
    return {
      source,
      all,
      missing: all.filter(({ version }) => !applied.has(version)),
      unknown: [...applied].filter((version) => !projectVersions.has(version)),
    }
  })
}

/**
 * Applies the missing migrations, source by source, oldest first. Like Hasura's command line, records each migration in the
 * server's `cli_state`.
 *
 * @param onApplied called after each migration
 * @throws ServerError at the first failed migration; earlier migrations stay applied
 */
export async function applyMigrations(
  project: Project,
  server: ServerConnection,
  onApplied: (migration: Migration) => void,
): Promise<void> {
  for (const { source, missing } of await migrationStatus(project, server))
    for (const migration of missing) {
      await server.runSql(source, await readFile(migration.file, 'utf8'))
      await recordMigration(server, source, migration.version)
      onApplied(migration)
    }
}

const CatalogState = z.looseObject({
  cli_state: z
    .looseObject({
      migrations: z.record(z.string(), z.record(z.string(), z.boolean())).optional(),
    })
    .nullish()
    .transform((state) => state ?? {}),
})

async function readState(server: ServerConnection) {
  return CatalogState.parse(await server.metadata('get_catalog_state')).cli_state
}

/** Returns the applied versions. The value true marks a migration that began, but did not complete. */
function appliedVersions(records: Readonly<Record<string, boolean>>): ReadonlySet<string> {
  return new Set(
    Object.entries(records).flatMap(([version, isDirty]) => (isDirty ? [] : withoutZeros(version))),
  )
}

async function recordMigration(server: ServerConnection, source: string, version: string) {
  const state = await readState(server)
  const versions = { ...state.migrations?.[source], [version]: false }
  await server.metadata('set_catalog_state', {
    type: 'cli',
    state: { ...state, migrations: { ...state.migrations, [source]: versions } },
  })
}
