import { randomUUID } from 'node:crypto'
import { chmodSync, chownSync, cpSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { startPostgres } from '../../local/postgres/embedded-postgres.ts'
import { freePort } from '../../local/process/free-port.ts'
import { temporaryFolder } from '../../local/process/temporary-folder.ts'

const PASSWORD = randomUUID()

/** Takes the backup by PostgreSQL's low-level API: https://www.postgresql.org/docs/current/continuous-archiving.html */
test('a base backup taken during writes contains every row committed before the backup ended', async () => {
  const folder = temporaryFolder('backup-')
  const [original, copy] = [join(folder, 'original'), join(folder, 'copy')]
  const first = await startPostgres({
    folder: original,
    port: await freePort(),
    password: PASSWORD,
  })
  const writer = await connect(first.url)
  await writer.query('create table counted (id int primary key)')
  let committedRows = 0
  let isOver = false
  const writing = (async () => {
    while (!isOver) {
      await writer.query('insert into counted values ($1)', [committedRows + 1])
      committedRows += 1
    }
  })()
  await expect.poll(() => committedRows).toBeGreaterThan(0)
  const backup = await connect(first.url)
  await backup.query("select pg_backup_start('test', true)")
  cpSync(original, copy, {
    recursive: true,
    filter: (path) => !/postmaster\.(pid|opts)$/.test(path),
  })
  const rowsAtEnd = committedRows
  const { rows } = await backup.query('select labelfile from pg_backup_stop(false)')
  isOver = true
  await writing
  cpSync(join(original, 'pg_wal'), join(copy, 'pg_wal'), { recursive: true })
  writeFileSync(join(copy, 'backup_label'), rows[0].labelfile)
  changeOwner(copy, statSync(original))
  await writer.end()
  await backup.end()
  await first.stop()

  const second = await startPostgres({ folder: copy, port: await freePort(), password: PASSWORD })
  const reader = await connect(second.url)
  const { rows: results } = await reader.query(
    'select count(*)::int as n, max(id) as last from counted',
  )
  await reader.end()
  await second.stop()
  rmSync(folder, { recursive: true })
  expect(rowsAtEnd).toBeGreaterThan(0)
  expect(results[0].last).toBeGreaterThanOrEqual(rowsAtEnd)
  expect(results[0].n).toBe(results[0].last)
})

async function connect(url: string): Promise<Client> {
  const client = new Client(url)
  await client.connect()
  return client
}

/** Gives a folder and its contents to the account of PostgreSQL, which must own its files. */
function changeOwner(path: string, { uid, gid }: { uid: number; gid: number }) {
  chownSync(path, uid, gid)
  if (!statSync(path).isDirectory()) return
  chmodSync(path, 0o700)
  for (const name of readdirSync(path)) changeOwner(join(path, name), { uid, gid })
}
