import { errors } from 'oidc-provider'
import { Pool } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isUnavailable } from '../../oidc/errors/unavailable.ts'
import { usePlansByKey } from '../../oidc/storage/artifact-statement.ts'
import { type ArtifactStore, createArtifactStore } from '../../oidc/storage/artifact-store.ts'
import { type Database, database } from '../support/database.ts'

let db: Database
let pools: Pool[]
let one: ArtifactStore
let other: ArtifactStore

beforeAll(async () => {
  db = await database('platform')
  const options = { connectionString: db.as('sign_in') }
  pools = [new Pool(options), new Pool(options)]
  ;[one, other] = pools.map(createArtifactStore) as [ArtifactStore, ArtifactStore]
})
afterAll(async () => {
  for (const pool of pools) await pool.end()
  await db.drop()
})

const times = <T>(n: number, make: (i: number) => T) => Array.from({ length: n }, (_, i) => make(i))

test('rows that are written at one moment are each found by their key', async () => {
  const codes = one.adapterFor('Code')
  await Promise.all(
    times(200, (i) => codes.upsert(`code-${i}`, { jti: `code-${i}`, nonce: `${i}` }, 60)),
  )
  const found = await Promise.all(times(201, (i) => codes.find(`code-${i}`)))
  expect(found.map((payload) => Object(payload).nonce)).toEqual([...times(200, String), undefined])
  expect(await one.adapterFor('Token').find('code-1')).toBeUndefined()
})

test('if one row is written twice at one moment, the later write counts', async () => {
  const grants = one.adapterFor('Grant')
  await Promise.all(times(10, (i) => grants.upsert('same', { scope: `${i}` }, 60)))
  expect(await grants.find('same')).toMatchObject({ scope: '9', jti: 'same' })
})

test("a value that Postgres cannot hold is its writer's trouble alone", async () => {
  const codes = one.adapterFor('Code')
  const results = await Promise.allSettled(
    times(5, (i) => codes.upsert(`odd-${i}`, { nonce: i === 2 ? '\u0000' : 'fine' }, 60)),
  )
  expect(results.map(({ status }) => status)).toEqual(
    times(5, (i) => (i === 2 ? 'rejected' : 'fulfilled')),
  )
  expect(await codes.find('odd-4')).toMatchObject({ nonce: 'fine' })
})

test('a code is used up once, however many ask, in however many instances; and its grant goes', async () => {
  await one.adapterFor('Grant').upsert('grant', { accountId: 'a' }, 60)
  await one.adapterFor('Code').upsert('code', { grantId: 'grant' }, 60)
  await one.adapterFor('AccessToken').upsert('token', { grantId: 'grant' }, 60)
  const results = await Promise.allSettled(
    times(40, (i) => (i % 2 ? one : other).adapterFor('Code').consume('code')),
  )
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  for (const result of results)
    if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(errors.InvalidGrant)
  expect(await other.adapterFor('AccessToken').find('token')).toBeUndefined()
  expect(await one.adapterFor('Grant').find('grant')).toBeUndefined()
  // The used code stays, so that a replay is recognised.
  expect(await one.adapterFor('Code').find('code')).toMatchObject({ consumed: expect.any(Number) })
})

test('a sign-in is used up once, and once more after a release', async () => {
  const signIn = { model: 'Interaction', id: 'x' }
  await one.adapterFor('Interaction').upsert('x', {}, 60)
  const uses = await Promise.all(times(10, (i) => (i % 2 ? one : other).useUp(signIn)))
  expect(uses.filter(Boolean)).toHaveLength(1)
  await one.release(signIn)
  expect(await other.useUp(signIn)).toBe(true)
})

test('different changes of one row at one moment are all made', async () => {
  const interactions = one.adapterFor('Interaction')
  await interactions.upsert('y', { uid: 'first' }, 60)
  await Promise.all([
    one.useUp({ model: 'Interaction', id: 'y' }),
    interactions.upsert('y', { uid: 'second' }, 60),
  ])
  expect(await interactions.find('y')).toMatchObject({
    uid: 'second',
    consumed: expect.any(Number),
  })
  await Promise.all([interactions.upsert('y', {}, 60), interactions.destroy('y')])
  expect(await interactions.find('y')).toBeUndefined()
})

test('a grant that was revoked elsewhere is gone here', async () => {
  await one.adapterFor('Grant').upsert('g2', { accountId: 'a' }, 60)
  await one.adapterFor('AccessToken').upsert('t2', { grantId: 'g2' }, 60)
  await one.adapterFor('AccessToken').find('t2')
  expect(await one.adapterFor('Grant').find('g2')).toMatchObject({ accountId: 'a', jti: 'g2' })
  await other.adapterFor('AccessToken').revokeByGrantId('g2')
  expect(await one.adapterFor('Grant').find('g2')).toBeUndefined()
})

test('a row is found by its key, though the statements were prepared while there were none', async () => {
  const fresh = await database('platform')
  const pool = new Pool({ connectionString: fresh.url, max: 1, onConnect: usePlansByKey })
  try {
    const codes = createArtifactStore(pool).adapterFor('Code')
    const use = async (id: string) => {
      await codes.find(id)
      await codes.destroy(id)
      await codes.consume(id).catch(() => {})
    }
    await pool.query('vacuum analyze oidc_artifact')
    for (const i of times(10, String)) await use(i)
    await pool.query(
      `insert into oidc_artifact (model, id, payload, expires_at)
       select 'Code', sha256(n::text::bytea), '{}', now() + interval '1 hour'
       from generate_series(1, 3000) as n`,
    )
    const before = await rowsRead(pool)
    await use('7')
    expect((await rowsRead(pool)) - before).toBeLessThan(20)
  } finally {
    await pool.end()
    await fresh.drop()
  }
})

test('what has expired is deleted by one instance at a time, and no session keeps the lock', async () => {
  const expired = `insert into oidc_artifact (model, id, payload, expires_at)
    select 'Code', sha256(('expired' || n)::bytea), '{}', now() - interval '1 hour' from generate_series(1, 6000) as n`
  const left = async () =>
    (await db.query("select from oidc_artifact where expires_at < now() - interval '1 minute'"))
      .rowCount
  await db.query(expired)
  const [pool] = pools
  const holder = await pool?.connect()
  try {
    await holder?.query('begin')
    await holder?.query('select pg_advisory_xact_lock(1763600030)')
    await other.deleteExpired()
    expect(await left()).toBe(6_000)
  } finally {
    await holder?.query('rollback')
    holder?.release()
  }
  await other.deleteExpired()
  expect(await left()).toBe(0)
  await db.query(expired)
  await one.deleteExpired()
  expect(await left()).toBe(0)
})

test.each(['nowhere.invalid', '192.0.2.1'])('a database at %s is unavailable', async (host) => {
  const connectionString = Object.assign(new URL(db.as('sign_in')), { hostname: host }).href
  const pool = new Pool({ connectionString, connectionTimeoutMillis: 500 })
  const codes = createArtifactStore(pool).adapterFor('Code')
  const refused = await codes.find('code').catch((error: unknown) => error)
  expect(isUnavailable(refused)).toBe(true)
  await pool.end()
})

test('a database that has become a standby is unavailable, until it is the primary again', async () => {
  const demoted = await database('platform')
  const { rows } = await demoted.query('select current_database() as name')
  const readOnly = `alter database ${rows[0].name}`
  await demoted.onCluster(`${readOnly} set default_transaction_read_only = on`)
  const pool = new Pool({ connectionString: demoted.as('sign_in'), max: 1 })
  try {
    const codes = createArtifactStore(pool).adapterFor('Code')
    const refused = await codes.upsert('code', {}, 60).catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: '25006' })
    expect(isUnavailable(refused)).toBe(true)
    await demoted.onCluster(`${readOnly} reset default_transaction_read_only`)
    // Its one connection could not write, and has been replaced.
    await codes.upsert('code', { nonce: 'n' }, 60)
    expect(await codes.find('code')).toMatchObject({ nonce: 'n' })
  } finally {
    await pool.end()
    await demoted.drop()
  }
})

/** The number of rows of the table, and entries of its indexes, that were read so far by all connections. */
async function rowsRead(pool: Pool): Promise<number> {
  await pool.query('select pg_stat_force_next_flush()')
  const { rows } = await pool.query(
    `select seq_tup_read + (
       select sum(idx_tup_read) from pg_stat_user_indexes where relname = 'oidc_artifact'
     ) as read
     from pg_stat_user_tables
     where relname = 'oidc_artifact'`,
  )
  return Number(rows[0]?.read)
}
