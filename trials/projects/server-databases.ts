import { Client, escapeIdentifier } from 'pg'
import { sourceNames } from '../../packages/engine/metadata/folder/source-names.ts'
import { readProject } from '../../packages/engine/project/project.ts'

/** The PostgreSQL of --database-url. New databases get the extensions that the Docker image `image` would create in them. */
export type PostgresServer = {
  /** A superuser's URL. */
  url: string
  image: 'postgres' | 'postgis'
}

/** The databases of one project on the server of --database-url. */
export type ProjectDatabases = {
  /** The database of the first source, which also has the engine's own schema. */
  url: string
  /** The variable with the database URL of each source. */
  variables: Readonly<Record<string, string>>
  remove(): Promise<void>
}

/**
 * Creates an empty database for each source of a project. The first is always called `projects_0`: pg_cron works in only one
 * database of a server, and the server's settings name that database.
 *
 * @throws Error if another run uses the server
 */
export async function databasesFor(
  folder: string,
  { url: serverUrl, image }: PostgresServer,
): Promise<ProjectDatabases> {
  const { metadataDir } = await readProject({ project: folder }, {})
  const sources = await sourceNames(metadataDir).catch(() => ['default'])
  const names = sources.map((_source, i) => `projects_${i}`)
  const urls = names.map((name) => Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href)
  const client = new Client({ connectionString: serverUrl })
  client.on('error', () => {})
  await client.connect()
  await lockServer(client)
  try {
    await dropDatabases(client, names)
    for (const name of names) await client.query(`create database ${escapeIdentifier(name)}`)
    if (image === 'postgis') for (const url of urls) await createPostgisExtensions(url)
  } catch (error) {
    // Releases the lock for the next project.
    await client.end()
    throw error
  }
  const roles = await rolesOn(client)
  const addresses = Object.fromEntries(sources.map((source, i) => [source, urls[i]]))
  return {
    url: urls[0] ?? serverUrl,
    variables: { ENGINE_SOURCE_URLS: JSON.stringify(addresses) },
    async remove() {
      try {
        await dropDatabases(client, names)
        for (const role of (await rolesOn(client)).filter((name) => !roles.includes(name)))
          await client.query(`drop role ${escapeIdentifier(role)}`)
      } finally {
        await client.end()
      }
    },
  }
}

/** Locks the server for this run until the connection ends. */
async function lockServer(client: Client): Promise<void> {
  const { rows } = await client.query<{ is_locked: boolean }>(
    `select pg_try_advisory_lock(hashtext('test:projects')) as is_locked`,
  )
  if (rows[0]?.is_locked) return
  await client.end()
  throw new Error('Another run of test:projects uses the server of --database-url. Wait for it.')
}

async function dropDatabases(client: Client, names: readonly string[]): Promise<void> {
  for (const name of names)
    await client.query(`drop database if exists ${escapeIdentifier(name)} with (force)`)
}

/** Lists the server's roles. All databases share them, so the roles of a project are dropped before the next project. */
async function rolesOn(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ rolname: string }>('select rolname from pg_roles')
  return rows.map(({ rolname }) => rolname)
}

/** Creates the extensions that the PostGIS images create in a new database. */
async function createPostgisExtensions(url: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    for (const name of ['postgis', 'postgis_topology', 'postgis_tiger_geocoder'])
      await client.query(`create extension ${name} cascade`)
  } finally {
    await client.end()
  }
}
