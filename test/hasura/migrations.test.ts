import { readdirSync, readFileSync } from 'node:fs'
import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, database } from '../support/database.ts'

let db: Database
let team: string

beforeAll(async () => {
  db = await database('platform')
  team = (await db.query("insert into team (name) values ('Acme') returning id")).rows[0].id
})
afterAll(() => db.drop())

describe('ids', () => {
  test('are a prefix and 32 hex digits, whatever the caller passes', async () => {
    const { rows } = await db.query(
      "insert into team (id, name) values ('team_mine', 'Mine') returning id",
    )
    expect(rows[0].id).toMatch(/^team_[0-9a-f]{32}$/)
  })

  test('may be fixed by a seed', async () => {
    await db.query('begin')
    await db.query("set local platform.fixed_ids = 'on'")
    const { rows } = await db.query(
      "insert into team (id, name) values ('team_seeded', 'Seeded') returning id",
    )
    await db.query('commit')
    expect(rows[0].id).toBe('team_seeded')
  })

  test.each([
    [true, /^app_staging_[0-9a-f]{32}$/],
    [false, /^app_[0-9a-f]{32}$/],
  ])('of an app with is_staging %s tell it', async (isStaging, pattern) => {
    expect((await makeApp(isStaging)).id).toMatch(pattern)
  })
})

describe('the sign-in action', () => {
  test('is created with each app, without a limit', async () => {
    const app = await makeApp()
    const { rows } = await db.query(
      'select action, max_verifications from action where app_id = $1',
      [app.id],
    )
    expect(rows).toEqual([{ action: '', max_verifications: 0 }])
  })

  test('cannot be deleted or limited', async () => {
    const app = await makeApp()
    await expect(db.query('delete from action where app_id = $1', [app.id])).rejects.toMatchObject({
      code: '23000',
    })
    await expect(
      db.query('update action set max_verifications = 1 where app_id = $1', [app.id]),
    ).rejects.toMatchObject({ code: '23514' })
  })

  test('is deleted with its app', async () => {
    const app = await makeApp()
    await db.query('delete from app where id = $1', [app.id])
    const { rowCount } = await db.query('select from action where app_id = $1', [app.id])
    expect(rowCount).toBe(0)
  })
})

describe('what a count depends on', () => {
  test('an action is unique within its app', async () => {
    const app = await makeApp()
    await makeAction(app.id, 1)
    await expect(makeAction(app.id, 1)).rejects.toMatchObject({ code: '23505' })
  })

  test.each([
    ['app', 'is_staging', 'not is_staging'],
    ['app', 'team_id', "'team_other'"],
    ['action', 'action', "'renamed'"],
    ['action', 'app_id', "'app_other'"],
  ])('%s.%s never changes', async (table, column, value) => {
    const app = await makeApp()
    await makeAction(app.id, 1)
    await expect(
      db.query(`update ${table} set ${column} = ${value} where id in ($1, $2)`, [
        app.id,
        await actionOf(app.id),
      ]),
    ).rejects.toMatchObject({ code: '23000' })
  })
})

describe('a text that other people are shown', () => {
  const url = (length: number) => 'https://example.com/'.padEnd(length, 'x')

  test.each([
    ['team', 'name', 'two\r\nlines'],
    ['team', 'name', 'a \u2028 separator'],
    ['app', 'name', 'a\u0085line'],
    ['app', 'logo_url', 'https://'],
    ['app', 'logo_url', 'https://example.com/"onload="'],
    ['app', 'logo_url', url(2_049)],
    ['app', 'logo_url', 'https://example.com:65536'],
    ['action', 'name', 'a\ttab'],
    ['action', 'description', 'x'.repeat(4_097)],
    ['action', 'return_url', 'http:///path'],
    ['action', 'return_url', 'https://exa mple.com/'],
    ['action', 'return_url', 'https://example.com/\nSet-Cookie: a=b'],
    ['action', 'return_url', url(2_049)],
    ['action', 'return_url', 'http://localhost:65536/'],
    ['action', 'return_url', 'http://localhost:99999999999999999999?x'],
    ['redirect', 'redirect_uri', 'HTTPS://example.com:65536/cb'],
  ])('%s.%s is not %j', async (table, column, value) => {
    await expect(show(table, column, value)).rejects.toMatchObject({ code: '23514' })
  })

  test.each([
    ['team', 'name', 'Ünïcode 🙂 & Co.'],
    ['app', 'logo_url', url(2_048)],
    ['action', 'description', 'two\nlines'.padEnd(4_096, 'x')],
    ['action', 'return_url', 'http://localhost:5173/?to=a%20b#/route?x=1'],
    ['action', 'return_url', 'https://exämple.com?x'],
    ['action', 'return_url', url(2_048)],
    ['action', 'return_url', 'http://[::1]:65535/:65536?:65536'],
    ['action', 'return_url', ''],
    ['redirect', 'redirect_uri', 'https://example.com:65535'],
  ])('%s.%s may be %j', async (table, column, value) => {
    await expect(show(table, column, value)).resolves.toBeUndefined()
  })

  async function show(table: string, column: string, value: string) {
    const { id } = await makeApp()
    await db.query('insert into redirect (app_id, redirect_uri) values ($1, $2)', [id, url(20)])
    await db.query(`update ${table} set ${column} = $1`, [value])
  }
})

describe('record_nullifier', () => {
  test.each([
    [1, [1]],
    [2, [1, 2]],
    [0, [1, 2, 3, 4]],
  ])('a limit of %i over four calls counts %j', async (limit, uses) => {
    const action = await makeAction((await makeApp()).id, limit)
    const counted: number[] = []
    for (let i = 0; i < 4; i++)
      counted.push(...(await record(action, hash(7))).map((row) => row.uses))
    expect(counted).toEqual(uses)
  })

  test('keeps the time of the first verification', async () => {
    const action = await makeAction((await makeApp()).id, 2)
    const [first] = await record(action, hash(1))
    const [second] = await record(action, hash(1))
    expect(second?.created_at).toEqual(first?.created_at)
  })

  test('counts the same number in two actions separately', async () => {
    const app = await makeApp()
    const action = await makeAction(app.id, 1)
    const other = await makeAction((await makeApp()).id, 1)
    expect(await record(action, hash(2))).toHaveLength(1)
    expect(await record(other, hash(2))).toHaveLength(1)
  })

  test('a person has an id in each action, which stays the same', async () => {
    const app = await makeApp()
    const [one, other] = [await makeAction(app.id, 0), await makeAction((await makeApp()).id, 0)]
    for (const action of [one, one, other]) await record(action, hash(4))
    const { rows } = await db.query<{ id: string }>(
      'select nullifier_id(nullifier) as id from nullifier where nullifier_hash = $1',
      [hash(4)],
    )
    expect(rows).toHaveLength(2)
    for (const { id } of rows) expect(id).toMatch(/^nil_[0-9a-f]{32}$/)
    expect(new Set(rows.map(({ id }) => id)).size).toBe(2)
  })

  test('refuses a spelling that is not canonical', async () => {
    const action = await makeAction((await makeApp()).id, 0)
    await expect(record(action, hash(10).toUpperCase())).rejects.toMatchObject({ code: '23514' })
  })

  test('records nothing for an inactive action', async () => {
    const action = await makeAction((await makeApp()).id, 0)
    await db.query("update action set status = 'inactive' where id = $1", [action])
    expect(await record(action, hash(3))).toEqual([])
  })
})

describe('record_nullifiers', () => {
  type Verification = [action: string, nullifierHash: string]

  const recordAll = async (people: Verification[], connection: Pick<Pool, 'query'> = db) => {
    const verifications = people.map(([action_id, nullifier_hash]) => ({
      action_id,
      nullifier_hash,
    }))
    const { rows } = await connection.query<{
      action_id: string
      nullifier_hash: string
      uses: number
    }>('select action_id, nullifier_hash, uses from record_nullifiers($1)', [
      JSON.stringify(verifications),
    ])
    return rows.map((row) => [row.action_id, row.nullifier_hash, row.uses])
  }

  test('counts each as often as it is given, up to its limit', async () => {
    const once = await makeAction((await makeApp()).id, 1)
    const twice = await makeAction((await makeApp()).id, 2)
    const person = hash(21)
    const rows = await recordAll([
      [twice, person],
      [once, person],
      [twice, person],
      [once, person],
      [twice, person],
      [twice, hash(22)],
      ['action_unknown', person],
    ])
    expect(rows.toSorted()).toEqual(
      [
        [once, person, 1],
        [twice, person, 1],
        [twice, person, 2],
        [twice, hash(22), 1],
      ].toSorted(),
    )
  })

  test('never deadlocks with another call that has the same people', async () => {
    const action = await makeAction((await makeApp()).id, 0)
    const people = Array.from({ length: 30 }, (_, n): [string, string] => [action, hash(100 + n)])
    // Connections of their own: on one, the calls would run one after the other.
    const pool = new Pool({ connectionString: db.url, max: 8 })
    const rounds = Array.from({ length: 20 }, (_, round) =>
      recordAll(round % 2 ? people : people.toReversed(), pool),
    )
    const rows = (await Promise.all(rounds)).flat()
    await pool.end()
    expect(rows.filter(([, , uses]) => uses === 20)).toHaveLength(30)
  })

  test('counts nobody when given nobody', async () => {
    expect(await recordAll([])).toEqual([])
  })
})

test('no two migrations have the same version, since the second would never be applied', () => {
  const versions = readdirSync(new URL('../../hasura/migrations/default/', import.meta.url)).map(
    (folder) => Number.parseInt(folder, 10),
  )
  expect(new Set(versions).size).toBe(versions.length)
})

test('every migration can be taken back, leaves nothing behind, and can be applied again', async () => {
  const other = await database('platform')
  const folder = new URL('../../hasura/migrations/default/', import.meta.url)
  const versions = readdirSync(folder).sort()
  const run = (version: string, direction: 'up' | 'down') =>
    other.query(readFileSync(new URL(`${version}/${direction}.sql`, folder), 'utf8'))
  for (const version of versions.toReversed()) await run(version, 'down')
  const { rows } = await other.query(
    "select relname from pg_class where relnamespace = 'public'::regnamespace union all select proname from pg_proc where pronamespace = 'public'::regnamespace",
  )
  expect(rows).toEqual([])
  for (const version of versions) await run(version, 'up')
  await other.drop()
})

async function makeApp(isStaging = true): Promise<{ id: string }> {
  const { rows } = await db.query(
    "insert into app (team_id, name, is_staging) values ($1, 'App', $2) returning id",
    [team, isStaging],
  )
  return rows[0]
}

async function makeAction(appId: string, limit: number): Promise<string> {
  const { rows } = await db.query(
    "insert into action (app_id, action, max_verifications) values ($1, 'vote', $2) returning id",
    [appId, limit],
  )
  return rows[0].id
}

async function actionOf(appId: string): Promise<string> {
  const { rows } = await db.query("select id from action where app_id = $1 and action = 'vote'", [
    appId,
  ])
  return rows[0].id
}

async function record(action: string, nullifierHash: string) {
  const { rows } = await db.query<{ uses: number; created_at: Date }>(
    'select uses, created_at from record_nullifier($1, $2)',
    [action, nullifierHash],
  )
  return rows
}

function hash(n: number): string {
  return `0x${n.toString(16).padStart(64, '0')}`
}
