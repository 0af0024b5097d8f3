import { createHash, randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { Client } from 'pg'
import { pino } from 'pino'
import { present } from '../../../lib/runtime/present.ts'
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

/** The databases of one test, with the tables and seeds of the project. */
export type IsolatedDatabases = {
  /** The address of the main one. */
  url: string
  /** With which an engine finds all of them. */
  variables: Readonly<Record<string, string>>
  drop(): Promise<void>
}

/** A database as a test has it. */
type IsolatedDatabase = { url: string; drop(): Promise<void> }

/** What a template is made for. */
type Wanted = { project: Project; database: ProjectDatabase; hasSeeds: boolean }

/**
 * Makes the databases of a project, each as a copy of one that has its migrations and seeds, which is made where it is missing. It
 * is kept on the server for as long as these files stay as they are; processes that want it at the same time take turns.
 *
 * @param serverUrl the address of a server, for a role that may make databases
 */
export async function createIsolatedDatabases(
  serverUrl: string,
  project: Project,
  { hasSeeds }: { hasSeeds: boolean },
): Promise<IsolatedDatabases> {
  const { main, others } = await projectDatabases(project)
  const made = await allOrNone(
    [main, ...others].map(async (database) => ({
      ...database,
      ...(await makeIsolatedDatabase(serverUrl, { project, database, hasSeeds })),
    })),
  )
  return {
    url: present(made[0], 'the main database').url,
    variables: databaseVariables(made),
    drop: async () => {
      await Promise.all(made.map((database) => database.drop()))
    },
  }
}

/** Where one cannot be made, nobody hears of the others, and they are dropped. */
async function allOrNone<T extends IsolatedDatabase>(making: readonly Promise<T>[]): Promise<T[]> {
  const settled = await Promise.allSettled(making)
  const made = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  if (made.length < making.length) await Promise.all(made.map((database) => database.drop()))
  return Promise.all(making)
}

async function makeIsolatedDatabase(serverUrl: string, wanted: Wanted): Promise<IsolatedDatabase> {
  const template = await findTemplate(serverUrl, await contentOf(wanted))
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await runInDatabase(serverUrl, `create database ${name} template ${template}`)
  return {
    url: addressOf(serverUrl, name),
    drop: () => runInDatabase(serverUrl, `drop database if exists ${name} with (force)`),
  }
}

/** What is in a template: the migrations and the seeds of some sources. */
type Content = { project: Project; sources: readonly string[]; seeds: readonly Seed[] }

async function contentOf({ project, database, hasSeeds }: Wanted): Promise<Content> {
  const { sources } = database
  const seeds = hasSeeds ? await readSeeds(project) : []
  return { project, sources, seeds: seeds.filter(({ source }) => sources.includes(source)) }
}

/** The templates that this process has seen: servers and names as JSON. */
const known = new Map<string, Promise<unknown>>()

async function findTemplate(serverUrl: string, content: Content) {
  const name = `template_${await fingerprint(content)}`
  const key = JSON.stringify([serverUrl, name])
  const made = known.get(key) ?? makeTemplate(serverUrl, name, content)
  known.set(key, made)
  try {
    await made
    return name
  } catch (error) {
    // The next caller tries anew.
    known.delete(key)
    throw error
  }
}

async function makeTemplate(serverUrl: string, name: string, content: Content) {
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
  // Without an address of its own, a source is in this database.
  const here = sources.map((name) => ({ ...present(metadata.sources[0], 'a source'), name }))
  const config = migrationConfig(url, project)
  const reading = Promise.resolve({ ...metadata, sources: here })
  await prepareDatabase(config, pino({ level: 'silent' }), reading)
  await applySeeds(seeds, () => url)
}

function migrationConfig(url: string, { metadataDir, migrationsDir }: Project): Config {
  return readConfig({
    HASURA_GRAPHQL_DATABASE_URL: url,
    HASURA_GRAPHQL_METADATA_DIR: metadataDir,
    HASURA_GRAPHQL_MIGRATIONS_DIR: migrationsDir,
  })
}

/** Of everything that the template is made of. */
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
