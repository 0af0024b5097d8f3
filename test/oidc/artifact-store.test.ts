import { errors } from 'oidc-provider'
import { Pool } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isUnavailable } from '../../oidc/errors/unavailable.ts'
import { usePlansByKey } from '../../oidc/storage/artifact-statement.ts'
import { type ArtifactStore, createArtifactStore } from '../../oidc/storage/artifact-store.ts'
import { type Database, database } from '../support/database.ts'

let db: Database
let pools: Pool[]
let first: ArtifactStore
let second: ArtifactStore

beforeAll(async () => {
  db = await database('platform')
  const options = { connectionString: db.as('sign_in') }
  pools = [new Pool(options), new Pool(options)]
  ;[first, second] = pools.map(createArtifactStore) as [ArtifactStore, ArtifactStore]
})
afterAll(async () => {
  for (const pool of pools) await pool.end()
  await db.drop()
})

const times = <T>(n: number, make: (i: number) => T) => Array.from({ length: n }, (_, i) => make(i))

test('200 rows written at the same moment are each found by key', async () => {
  const codes = first.adapterFor('Code')
  await Promise.all(
    times(200, (i) => codes.upsert(`code-${i}`, { jti: `code-${i}`, nonce: `${i}` }, 60)),
  )
  const payloads = await Promise.all(times(201, (i) => codes.find(`code-${i}`)))
  expect(payloads.map((payload) => Object(payload).nonce)).toEqual([
    ...times(200, String),
    undefined,
  ])
  expect(await first.adapterFor('Token').find('code-1')).toBeUndefined()
})

test('if a row is written ten times at the same moment, the last write wins', async () => {
  const grants = first.adapterFor('Grant')
  await Promise.all(times(10, (i) => grants.upsert('same', { scope: `${i}` }, 60)))
  expect(await grants.find('same')).toMatchObject({ scope: '9', jti: 'same' })
})

test('a value that PostgreSQL cannot store does not fail other simultaneous writes', async () => {
  const codes = first.adapterFor('Code')
  const results = await Promise.allSettled(
    times(5, (i) => codes.upsert(`odd-${i}`, { nonce: i === 2 ? '\u0000' : 'fine' }, 60)),
  )
  expect(results.map(({ status }) => status)).toEqual(
    times(5, (i) => (i === 2 ? 'rejected' : 'fulfilled')),
  )
  expect(await codes.find('odd-4')).toMatchObject({ nonce: 'fine' })
})

test('a code that is used 40 times in two instances is accepted once, and its grant is revoked', async () => {
  await first.adapterFor('Grant').upsert('grant', { accountId: 'a' }, 60)
  await first.adapterFor('Code').upsert('code', { grantId: 'grant' }, 60)
  await first.adapterFor('AccessToken').upsert('token', { grantId: 'grant' }, 60)
  const results = await Promise.allSettled(
    times(40, (i) => (i % 2 ? first : second).adapterFor('Code').consume('code')),
  )
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  for (const result of results)
    if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(errors.InvalidGrant)
  expect(await second.adapterFor('AccessToken').find('token')).toBeUndefined()
  expect(await first.adapterFor('Grant').find('grant')).toBeUndefined()
  // The used code stays in the table, so that a replay is recognised.
  expect(await first.adapterFor('Code').find('code')).toMatchObject({
    consumed: expect.any(Number),
  })
})

test('a sign-in can be used up once, and once more after a release', async () => {
  const signIn = { model: 'Interaction', id: 'x' }
  await first.adapterFor('Interaction').upsert('x', {}, 60)
  const uses = await Promise.all(times(10, (i) => (i % 2 ? first : second).useUp(signIn)))
  expect(uses.filter(Boolean)).toHaveLength(1)
  await first.release(signIn)
  expect(await second.useUp(signIn)).toBe(true)
})

test('different changes to a row at the same moment all take effect', async () => {
  const interactions = first.adapterFor('Interaction')
  await interactions.upsert('y', { uid: 'first' }, 60)
  await Promise.all([
    first.useUp({ model: 'Interaction', id: 'y' }),
    interactions.upsert('y', { uid: 'second' }, 60),
  ])
  expect(await interactions.find('y')).toMatchObject({
    uid: 'second',
    consumed: expect.any(Number),
  })
  await Promise.all([interactions.upsert('y', {}, 60), interactions.destroy('y')])
  expect(await interactions.find('y')).toBeUndefined()
})

test('an instance does not find a grant that another instance has revoked', async () => {
  await first.adapterFor('Grant').upsert('g2', { accountId: 'a' }, 60)
  await first.adapterFor('AccessToken').upsert('t2', { grantId: 'g2' }, 60)
  await first.adapterFor('AccessToken').find('t2')
  expect(await first.adapterFor('Grant').find('g2')).toMatchObject({ accountId: 'a', jti: 'g2' })
  await second.adapterFor('AccessToken').revokeByGrantId('g2')
  expect(await first.adapterFor('Grant').find('g2')).toBeUndefined()
})

test('statements that were prepared on an empty table find rows by key', async () => {
  const emptyDatabase = await database('platform')
  const pool = new Pool({ connectionString: emptyDatabase.url, max: 1, onConnect: usePlansByKey })
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
    await emptyDatabase.drop()
  }
})

test('an instance deletes no expired rows while another session holds the lock, and gives its lock back', async () => {
  const insertExpired = `insert into oidc_artifact (model, id, payload, expires_at)
    select 'Code', sha256(('expired' || n)::bytea), '{}', now() - interval '1 hour' from generate_series(1, 6000) as n`
  const countExpired = async () =>
    (await db.query("select from oidc_artifact where expires_at < now() - interval '1 minute'"))
      .rowCount
  await db.query(insertExpired)
  const [pool] = pools
  const holder = await pool?.connect()
  try {
    await holder?.query('begin')
    await holder?.query('select pg_advisory_xact_lock(1763600030)')
    await second.deleteExpired()
    expect(await countExpired()).toBe(6_000)
  } finally {
    await holder?.query('rollback')
    holder?.release()
  }
  await second.deleteExpired()
  expect(await countExpired()).toBe(0)
  await db.query(insertExpired)
  await first.deleteExpired()
  expect(await countExpired()).toBe(0)
})

test.each(['nowhere.invalid', '192.0.2.1'])(
  'a database at %s counts as unavailable',
  async (host) => {
    const connectionString = Object.assign(new URL(db.as('sign_in')), { hostname: host }).href
    const pool = new Pool({ connectionString, connectionTimeoutMillis: 500 })
    const codes = createArtifactStore(pool).adapterFor('Code')
    const error = await codes.find('code').catch((error: unknown) => error)
    expect(isUnavailable(error)).toBe(true)
    await pool.end()
  },
)

test('a database that has become a standby counts as unavailable until it is the primary again', async () => {
  const demoted = await database('platform')
  const { rows } = await demoted.query('select current_database() as name')
  const readOnly = `alter database ${rows[0].name}`
  await demoted.onCluster(`${readOnly} set default_transaction_read_only = on`)
  const pool = new Pool({ connectionString: demoted.as('sign_in'), max: 1 })
  try {
    const codes = createArtifactStore(pool).adapterFor('Code')
    const error = await codes.upsert('code', {}, 60).catch((error: unknown) => error)
    expect(error).toMatchObject({ code: '25006' })
    expect(isUnavailable(error)).toBe(true)
    await demoted.onCluster(`${readOnly} reset default_transaction_read_only`)
    // The pool has replaced its only connection, which could not write.
    await codes.upsert('code', { nonce: 'n' }, 60)
    expect(await codes.find('code')).toMatchObject({ nonce: 'n' })
  } finally {
    await pool.end()
    await demoted.drop()
  }
})

/** Counts the rows and index entries of the table that all connections have read so far. */
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
