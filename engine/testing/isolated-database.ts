import { createHash, randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { pino } from 'pino'
import { type Config, readConfig } from '../config.ts'
import { prepareDatabase, readMigrations } from '../database/migrations.ts'
import { sourceName } from '../metadata/source-name.ts'
import type { Project } from '../project/project.ts'
import { runInDatabase } from '../project/run-in-database.ts'
import { applySeeds, readSeeds, type Seed } from '../project/seeds.ts'

/** A database of one test, with the tables and seeds of the project. */
export type IsolatedDatabase = { url: string; drop(): Promise<void> }

/**
 * Makes a database as a copy of one that has the project's migrations and seeds, which is made where it is missing. It is
 * kept on the server for as long as these files stay as they are; processes that want it at the same time take turns.
 *
 * @param serverUrl the address of a server, for a role that may make databases
 */
export async function makeIsolatedDatabase(
  serverUrl: string,
  project: Project,
  { hasSeeds }: { hasSeeds: boolean },
): Promise<IsolatedDatabase> {
  const template = await findTemplate(serverUrl, project, hasSeeds ? await readSeeds(project) : [])
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await runInDatabase(serverUrl, `create database ${name} template ${template}`)
  return {
    url: addressOf(serverUrl, name),
    drop: () => runInDatabase(serverUrl, `drop database if exists ${name} with (force)`),
  }
}

/** The templates that this process has seen: servers and names as JSON. */
const known = new Map<string, Promise<unknown>>()

async function findTemplate(serverUrl: string, project: Project, seeds: readonly Seed[]) {
  const name = `template_${await fingerprint(project, seeds)}`
  const key = JSON.stringify([serverUrl, name])
  const made = known.get(key) ?? makeTemplate(serverUrl, name, { project, seeds })
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

type Content = { project: Project; seeds: readonly Seed[] }

async function makeTemplate(serverUrl: string, name: string, { project, seeds }: Content) {
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
    await fill(addressOf(serverUrl, draft), project, seeds)
    await client.query(`alter database ${draft} rename to ${name}`)
  } finally {
    await client.end()
  }
}

async function fill(url: string, project: Project, seeds: readonly Seed[]) {
  await prepareDatabase(migrationConfig(url, project), pino({ level: 'silent' }), async () => {})
  await applySeeds(url, seeds)
}

function migrationConfig(url: string, { metadataDir, migrationsDir }: Project): Config {
  return readConfig({
    HASURA_GRAPHQL_DATABASE_URL: url,
    HASURA_GRAPHQL_METADATA_DIR: metadataDir,
    HASURA_GRAPHQL_MIGRATIONS_DIR: migrationsDir,
  })
}

/** Of everything that the template is made of. */
async function fingerprint(
  { metadataDir, migrationsDir }: Project,
  seeds: readonly Seed[],
): Promise<string> {
  const hash = createHash('sha256')
  const source = await sourceName(metadataDir)
  for (const { version, folder } of await readMigrations(migrationsDir, source))
    hash.update(JSON.stringify([version, await readFile(join(folder, 'up.sql'), 'utf8')]))
  hash.update(JSON.stringify(seeds))
  return hash.digest('hex').slice(0, 32)
}

function addressOf(serverUrl: string, name: string): string {
  return Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href
}
