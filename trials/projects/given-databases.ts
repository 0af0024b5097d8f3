import { Client, escapeIdentifier } from 'pg'
import { sourceNames } from '../../packages/engine/metadata/folder/source-names.ts'
import { readProject } from '../../packages/engine/project/project.ts'

/** A superuser's address of a PostgreSQL, and the image whose new databases those of a project are like. */
export type GivenServer = { url: string; image: 'postgres' | 'postgis' }

/** The databases of one project on a server that was given. */
export type GivenDatabases = {
  /** That of the first source, which also has the engine's own schema. */
  url: string
  /** Variables that lead each source to its own. */
  variables: Readonly<Record<string, string>>
  remove(): Promise<void>
}

/**
 * Makes an empty database for each source of a project. The first is always called `projects_0`: pg_cron exists in one database of a
 * server, which its settings name.
 *
 * @throws Error where another run uses the server
 */
export async function databasesFor(
  folder: string,
  { url: serverUrl, image }: GivenServer,
): Promise<GivenDatabases> {
  const { metadataDir } = await readProject({ project: folder }, {})
  const sources = await sourceNames(metadataDir).catch(() => ['default'])
  const names = sources.map((_source, i) => `projects_${i}`)
  const urls = names.map((name) => Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href)
  const client = new Client({ connectionString: serverUrl })
  client.on('error', () => {})
  await client.connect()
  await claimServer(client)
  try {
    await dropDatabases(client, names)
    for (const name of names) await client.query(`create database ${escapeIdentifier(name)}`)
    if (image === 'postgis') for (const url of urls) await makePostgis(url)
  } catch (error) {
    // Else this process would hold the server against its own next project.
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
        for (const role of (await rolesOn(client)).filter((one) => !roles.includes(one)))
          await client.query(`drop role ${escapeIdentifier(role)}`)
      } finally {
        await client.end()
      }
    },
  }
}

/** For as long as the connection lasts. */
async function claimServer(client: Client): Promise<void> {
  const { rows } = await client.query<{ is_ours: boolean }>(
    `select pg_try_advisory_lock(hashtext('test:projects')) as is_ours`,
  )
  if (rows[0]?.is_ours) return
  await client.end()
  throw new Error('another run of test:projects uses the server of --database-url')
}

async function dropDatabases(client: Client, names: readonly string[]): Promise<void> {
  for (const name of names)
    await client.query(`drop database if exists ${escapeIdentifier(name)} with (force)`)
}

/** Roles are those of the whole server: what a project makes must not meet the next one. */
async function rolesOn(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ rolname: string }>('select rolname from pg_roles')
  return rows.map(({ rolname }) => rolname)
}

/** As PostGIS's images do in a new database. */
async function makePostgis(url: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    for (const name of ['postgis', 'postgis_topology', 'postgis_tiger_geocoder'])
      await client.query(`create extension ${name} cascade`)
  } finally {
    await client.end()
  }
}
