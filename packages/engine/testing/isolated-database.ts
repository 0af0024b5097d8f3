import { createHash, randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { Client } from 'pg'
import { pino } from 'pino'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import { type Config, readConfig } from '../config/config.ts'
import { sourceNames } from '../metadata/folder/source-names.ts'
import { emptyMetadata } from '../metadata/metadata.ts'
import type { Project } from '../project/project.ts'
import {
  databaseVariables,
  type ProjectDatabase,
  projectDatabases,
} from '../project/project-databases.ts'
import { runInDatabase } from '../project/run-in-database.ts'
import { applySeeds, readSeeds, type Seed } from '../project/seeds.ts'
import { readMigrations } from '../runtime/database/migration-files.ts'
import { prepareDatabase } from '../runtime/database/migrations.ts'

/** The databases of one test, with the project's tables and, if requested, its seeds. */
export type IsolatedDatabases = {
  /** The address of the main database. */
  url: string
  /** The variables that give an engine the addresses of all these databases. */
  variables: Readonly<Record<string, string>>
  drop(): Promise<void>
}

/** One database of a test. */
type IsolatedDatabase = { url: string; drop(): Promise<void> }

/** A database to create for a project. `hasSeeds` is true if it gets the project's seeds. */
type DatabaseSpecification = { project: Project; database: ProjectDatabase; hasSeeds: boolean }

/**
 * Creates the databases of a project as copies of templates with its migrations and, with `hasSeeds`, its seeds. The first call
 * creates the templates, which stay on the server. After these files change, the next call creates new templates. Processes that
 * need the same template at the same time take turns.
 *
 * @param serverUrl the address of a server, with a role that may create databases
 */
export async function createIsolatedDatabases(
  serverUrl: string,
  project: Project,
  { hasSeeds }: { hasSeeds: boolean },
): Promise<IsolatedDatabases> {
  const { main, otherDatabases } = await projectDatabases(project)
  const databases = await allOrNone(
    [main, ...otherDatabases].map(async (database) => ({
      ...database,
      ...(await createIsolatedDatabase(serverUrl, { project, database, hasSeeds })),
    })),
  )
  return {
    url: requireValue(databases[0], 'the main database').url,
    variables: databaseVariables(databases),
    drop: async () => {
      await Promise.all(databases.map((database) => database.drop()))
    },
  }
}

/** Waits for all databases. If a creation fails, drops the created databases. */
async function allOrNone<T extends IsolatedDatabase>(
  creations: readonly Promise<T>[],
): Promise<T[]> {
  const settled = await Promise.allSettled(creations)
  const databases = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  if (databases.length < creations.length)
    await Promise.all(databases.map((database) => database.drop()))
  return Promise.all(creations)
}

async function createIsolatedDatabase(
  serverUrl: string,
  specification: DatabaseSpecification,
): Promise<IsolatedDatabase> {
  const template = await findTemplate(serverUrl, await contentOf(specification))
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await runInDatabase(serverUrl, `create database ${name} template ${template}`)
  return {
    url: addressOf(serverUrl, name),
    drop: () => runInDatabase(serverUrl, `drop database if exists ${name} with (force)`),
  }
}

/** The content of a template: the migrations and seeds of some sources. */
type Content = { project: Project; sources: readonly string[]; seeds: readonly Seed[] }

async function contentOf(specification: DatabaseSpecification): Promise<Content> {
  const { project, database, hasSeeds } = specification
  const { sources } = database
  const seeds = hasSeeds ? await readSeeds(project) : []
  return { project, sources, seeds: seeds.filter(({ source }) => sources.includes(source)) }
}

/** The templates that this process has used or created, by server and name as JSON. */
const templates = new Map<string, Promise<unknown>>()

async function findTemplate(serverUrl: string, content: Content) {
  const name = `template_${await fingerprint(content)}`
  const key = JSON.stringify([serverUrl, name])
  const template = templates.get(key) ?? createTemplate(serverUrl, name, content)
  templates.set(key, template)
  try {
    await template
    return name
  } catch (error) {
    // The next caller tries again.
    templates.delete(key)
    throw error
  }
}

async function createTemplate(serverUrl: string, name: string, content: Content) {
  const client = new Client({ connectionString: serverUrl })
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query('select pg_advisory_lock(hashtext($1))', [name])
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name])
    if (rowCount !== 0) return
    const draft = `${name}_draft`
    await client.query(`drop database if exists ${draft} with (force)`)
    await client.query(`create database ${draft} template template0 encoding 'UTF8'`)
    await fill(addressOf(serverUrl, draft), content)
    await client.query(`alter database ${draft} rename to ${name}`)
  } finally {
    await client.end()
  }
}

async function fill(url: string, { project, sources, seeds }: Content) {
  const metadata = emptyMetadata()
  // A source without an address is in the database of HASURA_GRAPHQL_DATABASE_URL.
  const sourcesInDatabase = sources.map((name) => ({
    ...requireValue(metadata.sources[0], 'a source'),
    name,
  }))
  const config = migrationConfig(url, project)
  const sourcesOnly = Promise.resolve({ ...metadata, sources: sourcesInDatabase })
  await prepareDatabase(config, pino({ level: 'silent' }), sourcesOnly)
  await applySeeds(seeds, () => url)
}

function migrationConfig(url: string, { metadataDir, migrationsDir }: Project): Config {
  return readConfig({
    HASURA_GRAPHQL_DATABASE_URL: url,
    HASURA_GRAPHQL_METADATA_DIR: metadataDir,
    HASURA_GRAPHQL_MIGRATIONS_DIR: migrationsDir,
  })
}

/** Returns a hash of the migrations and seeds that a template contains. */
async function fingerprint({ project, sources, seeds }: Content): Promise<string> {
  const hash = createHash('sha256')
  const migrations = await readMigrations(
    project.migrationsDir,
    await sourceNames(project.metadataDir),
  )
  for (const source of sources)
    for (const { version, file } of migrations.get(source) ?? [])
      hash.update(JSON.stringify([version, await readFile(file, 'utf8')]))
  hash.update(JSON.stringify(seeds))
  return hash.digest('hex').slice(0, 32)
}

function addressOf(serverUrl: string, name: string): string {
  return Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href
}
