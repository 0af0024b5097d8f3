import { randomUUID } from 'node:crypto'
import { chmodSync, chownSync, cpSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { startPostgres } from '../../local/postgres/embedded-postgres.ts'
import { freePort } from '../../local/process/free-port.ts'
import { temporaryFolder } from '../../local/process/temporary-folder.ts'

const PASSWORD = randomUUID()

/** As pg_basebackup does it; see https://www.postgresql.org/docs/current/continuous-archiving.html */
test('a base backup taken while people are counted holds everybody who was told so before it ended', async () => {
  const folder = temporaryFolder('backup-')
  const [original, copy] = [join(folder, 'original'), join(folder, 'copy')]
  const first = await startPostgres({
    folder: original,
    port: await freePort(),
    password: PASSWORD,
  })
  const writer = await connected(first.url)
  await writer.query('create table counted (id int primary key)')
  let acknowledged = 0
  let stopped = false
  const writing = (async () => {
    while (!stopped) {
      await writer.query('insert into counted values ($1)', [acknowledged + 1])
      acknowledged += 1
    }
  })()
  await expect.poll(() => acknowledged).toBeGreaterThan(0)
  const backup = await connected(first.url)
  await backup.query("select pg_backup_start('test', true)")
  cpSync(original, copy, {
    recursive: true,
    filter: (path) => !/postmaster\.(pid|opts)$/.test(path),
  })
  const heldAtTheEnd = acknowledged
  const { rows } = await backup.query('select labelfile from pg_backup_stop(false)')
  stopped = true
  await writing
  cpSync(join(original, 'pg_wal'), join(copy, 'pg_wal'), { recursive: true })
  writeFileSync(join(copy, 'backup_label'), rows[0].labelfile)
  giveTo(copy, statSync(original))
  await writer.end()
  await backup.end()
  await first.stop()

  const second = await startPostgres({ folder: copy, port: await freePort(), password: PASSWORD })
  const reader = await connected(second.url)
  const { rows: found } = await reader.query(
    'select count(*)::int as n, max(id) as last from counted',
  )
  await reader.end()
  await second.stop()
  rmSync(folder, { recursive: true })
  expect(heldAtTheEnd).toBeGreaterThan(0)
  expect(found[0].last).toBeGreaterThanOrEqual(heldAtTheEnd)
  expect(found[0].n).toBe(found[0].last)
})

async function connected(url: string): Promise<Client> {
  const client = new Client(url)
  await client.connect()
  return client
}

/** PostgreSQL runs as its own account, and wants its files to be that account's. */
function giveTo(path: string, { uid, gid }: { uid: number; gid: number }) {
  chownSync(path, uid, gid)
  if (!statSync(path).isDirectory()) return
  chmodSync(path, 0o700)
  for (const name of readdirSync(path)) giveTo(join(path, name), { uid, gid })
}
