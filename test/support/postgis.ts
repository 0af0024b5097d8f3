import { spawnSync } from 'node:child_process'
import { existsSync, globSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { startPostgres } from '../../local/postgres/embedded-postgres.ts'
import { freePort } from '../../local/process/free-port.ts'
import { temporaryFolder } from '../../local/process/temporary-folder.ts'
import type { MakeDatabase } from '../../packages/engine/test/support/server.ts'

/** Returns Debian's folder with the programs of a PostgreSQL that has PostGIS, or null if none is installed. */
export function findPostgis(): string | null {
  const folders = globSync('/usr/lib/postgresql/*/bin').toSorted()
  return folders.findLast((bin) => existsSync(join(sharedFolder(bin), CONTROL_FILE))) ?? null
}

const CONTROL_FILE = 'extension/postgis.control'

function sharedFolder(bin: string): string {
  const { stdout } = spawnSync(join(bin, 'pg_config'), ['--sharedir'], { encoding: 'utf8' })
  return (stdout ?? '').trim()
}

/** Starts the PostgreSQL with its programs in this folder. `makeDatabase` creates an empty database. */
export async function startPostgis(programs: string) {
  const folder = temporaryFolder('postgis-')
  const postgres = await startPostgres({
    folder: join(folder, 'data'),
    port: await freePort(),
    programs,
    settings: ['fsync=off'],
  })
  let databaseCount = 0
  const makeDatabase: MakeDatabase = async () => {
    const name = `places_${++databaseCount}`
    await run(postgres.url, `create database ${name}`)
    const url = Object.assign(new URL(postgres.url), { pathname: `/${name}` }).href
    const client = new Client(url)
    await client.connect()
    return { url, query: client.query.bind(client), drop: () => client.end() }
  }
  return {
    makeDatabase,
    async stop() {
      await postgres.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function run(url: string, statement: string): Promise<void> {
  const client = new Client(url)
  await client.connect()
  await client.query(statement)
  await client.end()
}
