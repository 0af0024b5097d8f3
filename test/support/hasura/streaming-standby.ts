import { randomUUID } from 'node:crypto'
import { chmodSync, chownSync, cpSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { startPostgres } from '../../../local/postgres/embedded-postgres.ts'
import { freePort } from '../../../local/process/free-port.ts'
import { temporaryFolder } from '../../../local/process/temporary-folder.ts'
import { migrationTexts } from '../../../packages/platform/parts/migration-texts.ts'

const PASSWORD = randomUUID()

/**
 * Starts a PostgreSQL with all migrations, and a standby that follows it by streaming replication.
 */
export async function startPostgresWithStandby() {
  const folder = temporaryFolder('standby-')
  const [first, second] = [join(folder, 'primary'), join(folder, 'standby')]
  const primary = await startPostgres({ folder: first, port: await freePort(), password: PASSWORD })
  const writer = await connectedClient(primary.url)
  for (const migration of migrationTexts()) await writer.query(migration)
  await copyCluster(writer, first, second)
  const { port } = new URL(primary.url)
  const standby = await startPostgres({
    folder: second,
    port: await freePort(),
    password: PASSWORD,
    settings: [`primary_conninfo=host=127.0.0.1 port=${port} user=postgres password=${PASSWORD}`],
  })
  const reader = await connectedClient(standby.url)
  return {
    primaryUrl: primary.url,
    standbyUrl: standby.url,
    /** Runs a statement on the primary. */
    query: writer.query.bind(writer),
    pauseReplay: () => reader.query('select pg_wal_replay_pause()'),
    resumeReplay: () => reader.query('select pg_wal_replay_resume()'),
    async stopStandby() {
      await reader.end()
      await standby.stop()
    },
    /** Stops the primary; the standby must be stopped before. */
    async stopPrimary() {
      await writer.end()
      await primary.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Copies the cluster like pg_basebackup, which npm's PostgreSQL lacks. */
async function copyCluster(client: Client, from: string, to: string): Promise<void> {
  await client.query("select pg_backup_start('standby', true)")
  cpSync(from, to, { recursive: true, filter: (path) => !/postmaster\.(pid|opts)$/.test(path) })
  const { rows } = await client.query('select labelfile from pg_backup_stop(false)')
  cpSync(join(from, 'pg_wal'), join(to, 'pg_wal'), { recursive: true })
  writeFileSync(join(to, 'backup_label'), rows[0].labelfile)
  writeFileSync(join(to, 'standby.signal'), '')
  giveTo(to, statSync(from))
}

/** Gives the files to the account of PostgreSQL, which must own them. */
function giveTo(path: string, { uid, gid }: { uid: number; gid: number }): void {
  chownSync(path, uid, gid)
  if (!statSync(path).isDirectory()) return
  chmodSync(path, 0o700)
  for (const name of readdirSync(path)) giveTo(join(path, name), { uid, gid })
}

async function connectedClient(url: string): Promise<Client> {
  const client = new Client(url)
  client.on('error', () => {})
  await client.connect()
  return client
}
