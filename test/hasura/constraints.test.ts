import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, database } from '../support/database.ts'
import { makeAction, makeApp, makeTeam, type Team } from '../support/webhooks/platform-rows.ts'

let db: Database
let team: Team

beforeAll(async () => {
  db = await database('platform')
  team = await makeTeam(db)
})
afterAll(() => db.drop())

describe('the database generates ids', () => {
  test('an id is a prefix and 32 hex digits, whatever the caller passes', async () => {
    const { rows } = await db.query(
      "insert into team (id, name) values ('team_mine', 'Mine') returning id",
    )
    expect(rows[0].id).toMatch(/^team_[0-9a-f]{32}$/)
  })

  test('an app with a chosen id is refused instead of getting another id', async () => {
    const insert = `insert into app (id, team_id, name) values ('app_mine', '${team.id}', 'Mine')`
    await expect(db.query(insert)).rejects.toThrow(
      'the platform chooses the id of an app; got app_mine: leave the id out, or ask the operator',
    )
    expect((await db.query("select from app where name = 'Mine'")).rows).toEqual([])
  })

  test('a seed can set ids', async () => {
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
  ])(
    'the id of an app with is_staging %s has the prefix of its environment',
    async (isStaging, pattern) => {
      expect(await appOfTeam(isStaging)).toMatch(pattern)
    },
  )
})

describe('every app has a sign-in action', () => {
  test('the sign-in action is created with each app, without a limit', async () => {
    const app = await appOfTeam()
    const { rows } = await db.query(
      'select action, max_verifications from action where app_id = $1',
      [app],
    )
    expect(rows).toEqual([{ action: '', max_verifications: 0 }])
  })

  test('the sign-in action cannot be deleted or limited', async () => {
    const app = await appOfTeam()
    await expect(db.query('delete from action where app_id = $1', [app])).rejects.toMatchObject({
      code: '23000',
    })
    await expect(
      db.query('update action set max_verifications = 1 where app_id = $1', [app]),
    ).rejects.toMatchObject({ code: '23514' })
  })

  test('the sign-in action is deleted with its app', async () => {
    const app = await appOfTeam()
    await db.query('delete from app where id = $1', [app])
    const { rowCount } = await db.query('select from action where app_id = $1', [app])
    expect(rowCount).toBe(0)
  })
})

describe('columns that decide for what a person is counted are unique or cannot be changed', () => {
  test('an action is unique within its app', async () => {
    const app = await appOfTeam()
    await makeAction(db, app, { max_verifications: 1 })
    await expect(makeAction(db, app, { max_verifications: 1 })).rejects.toMatchObject({
      code: '23505',
    })
  })

  test.each([
    ['app', 'is_staging', 'not is_staging'],
    ['app', 'team_id', "'team_other'"],
    ['action', 'action', "'renamed'"],
    ['action', 'app_id', "'app_other'"],
  ])('%s.%s cannot be changed', async (table, column, value) => {
    const app = await appOfTeam()
    await makeAction(db, app, { max_verifications: 1 })
    await expect(
      db.query(`update ${table} set ${column} = ${value} where id in ($1, $2)`, [
        app,
        await actionOf(app),
      ]),
    ).rejects.toMatchObject({ code: '23000' })
  })
})

describe('the identifier of an action neither begins nor ends with a space', () => {
  const insert = (app: string, action: string) =>
    db.query('insert into action (app_id, action) values ($1, $2)', [app, action])

  test.each([' vote', 'vote ', '\tvote', 'vote\n', '\u00a0vote', 'vote\u3000', '\ufeffvote', ' '])(
    'the identifier %j is refused',
    async (action) => {
      expect(action.trim()).not.toBe(action)
      const app = await appOfTeam()
      await expect(insert(app, action)).rejects.toMatchObject({
        code: '23514',
        message: `action must neither begin nor end with a space; got ${action}`,
      })
    },
  )

  test.each(['my vote', 'Wähle! ü', '投票', '-', '\u200bvote'])(
    'the identifier %j is accepted',
    async (action) => {
      expect(action.trim()).toBe(action)
      expect((await insert(await appOfTeam(), action)).rowCount).toBe(1)
    },
  )
})

describe('an action accepts proofs of one protocol, or of both by choice', () => {
  test.each([
    ["protocol = '2.0'", '23514'],
    ['allows_repeat = true', '23514'],
    ["protocol = '4.0', allows_repeat = true, max_verifications = 2", '23514'],
    ["protocol = '4.0', allows_repeat = true, max_verifications = 0", '23514'],
  ])('an action rejects %s', async (change, code) => {
    const id = await makeAction(db, await appOfTeam())
    await expect(db.query(`update action set ${change} where id = $1`, [id])).rejects.toMatchObject(
      {
        code,
      },
    )
  })

  test.each(["protocol = '4.0'", "protocol = 'both', allows_repeat = true"])(
    'an action accepts %s',
    async (change) => {
      const id = await makeAction(db, await appOfTeam())
      const { rowCount } = await db.query(`update action set ${change} where id = $1`, [id])
      expect(rowCount).toBe(1)
    },
  )

  test('the sign-in action keeps protocol 3.0', async () => {
    const app = await appOfTeam()
    await expect(
      db.query("update action set protocol = 'both' where app_id = $1", [app]),
    ).rejects.toMatchObject({ code: '23514' })
  })
})

describe('displayed texts are checked', () => {
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
  ])('%s.%s rejects %j', async (table, column, value) => {
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
  ])('%s.%s accepts %j', async (table, column, value) => {
    await expect(show(table, column, value)).resolves.toBeUndefined()
  })

  async function show(table: string, column: string, value: string) {
    const id = await appOfTeam()
    await db.query('insert into redirect (app_id, redirect_uri) values ($1, $2)', [id, url(20)])
    await db.query(`update ${table} set ${column} = $1`, [value])
  }
})

describe('a refused redirect or payment gets a message without the name of a constraint', () => {
  const KIND =
    'must be an https:// URL with a host name or an IPv4 address, without user name and fragment'

  test.each([
    ['http://example.com', 'a redirect must be an HTTPS address, not of localhost'],
    ['https://me@example.com', KIND],
    ['https://example.com/#part', KIND],
    ['', `${KIND}; got an empty text`],
    ['https://localhost/', 'must not be on the local machine'],
    ['https://example.com/?', 'must not end with an empty query'],
    ['https://example.com:65536', 'must have a port up to 65535'],
    ['https://example.com/%2', 'must have two hex digits after each percent sign'],
    [`https://example.com/${'x'.repeat(2_048)}`, 'must have at most 2,048 characters'],
  ])('the redirect URI %j is refused with its rule', async (uri, rule) => {
    const app = await appOfTeam()
    const insert = 'insert into redirect (app_id, redirect_uri) values ($1, $2)'
    await expect(db.query(insert, [app, uri])).rejects.toMatchObject({
      code: '23514',
      message: expect.stringContaining(rule),
    })
  })

  test('a message has at most the first 100 characters of a value', async () => {
    const insert = 'insert into redirect (app_id, redirect_uri) values ($1, $2)'
    const uri = `https://example.com/${'x'.repeat(500_000)}`
    await expect(db.query(insert, [await appOfTeam(), uri])).rejects.toMatchObject({
      message: `redirect_uri must have at most 2,048 characters; got ${uri.slice(0, 100)}`,
    })
  })
})

function appOfTeam(is_staging = true) {
  return makeApp(db, { team, is_staging })
}

async function actionOf(appId: string): Promise<string> {
  const { rows } = await db.query("select id from action where app_id = $1 and action = 'vote'", [
    appId,
  ])
  return rows[0].id
}
