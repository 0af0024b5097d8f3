import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { externalNullifier, formatField } from '../../../lib/proof/encoding.ts'
import { defaultsOfCode } from '../../../lib/runtime/errors.ts'
import { freePort } from '../../../local/process/free-port.ts'
import { routes } from '../../../webhooks/app.ts'
import { INTERNAL_SECRET } from '../../support/webhooks/platform-environment.ts'
import {
  post,
  startTestPlatform,
  type TestPlatform,
} from '../../support/webhooks/start-platform.ts'

const DAY = 86_400_000
const PATHS = routes.filter(({ audience }) => audience.who === 'Hasura').map(({ path }) => path)

let platform: TestPlatform
let app: string

beforeAll(async () => {
  platform = await startTestPlatform()
  app = await platform.app({ team: await platform.team() })
})
afterAll(() => platform.stop())

test('every path that begins with /api/_ is an internal endpoint', () => {
  expect(PATHS).toEqual(
    expect.arrayContaining([
      '/hasura/actions',
      '/api/_jwk-gen',
      '/api/_jwk-renew',
      '/api/_ens',
      '/api/_expire',
      '/api/_gen-external-nullifier',
      '/api/_mail',
      '/api/_transactions',
      '/api/_prices',
    ]),
  )
  const otherRoutes = routes.filter(({ audience }) => audience.who !== 'Hasura')
  expect(otherRoutes.filter(({ path }) => path.startsWith('/api/_'))).toEqual([])
})

describe.each(PATHS)('%s is an internal endpoint', (path) => {
  test.each([
    ['no credentials', {}],
    ['an empty secret', { authorization: 'Bearer ' }],
    ['a prefix of the secret', { authorization: `Bearer ${INTERNAL_SECRET.slice(0, -1)}` }],
    ['more than the secret', { authorization: `Bearer ${INTERNAL_SECRET}0` }],
    ['the bare secret', { authorization: INTERNAL_SECRET }],
    ['another scheme', { authorization: `Basic ${INTERNAL_SECRET}` }],
    ['an admin secret', { 'x-hasura-admin-secret': INTERNAL_SECRET }],
  ])('a call of an internal endpoint with %s gets 403', async (_name, headers) => {
    expect(await platform.post(path, {}, headers)).toMatchObject({
      status: 403,
      body: { code: 'permission_denied', attribute: null },
    })
  })

  test("a call of an internal endpoint with a team's API key gets 403", async () => {
    const { apiKey } = await platform.team()
    const reply = await platform.post(path, {}, { authorization: `Bearer ${apiKey}` })
    expect(reply).toMatchObject({ status: 403, body: { code: 'permission_denied' } })
  })

  test('an internal endpoint accepts only POST, and sends no CORS headers', async () => {
    for (const method of ['GET', 'OPTIONS', 'DELETE']) {
      const response = await fetch(platform.baseUrl + path, { method })
      expect(response.status).toBe(405)
      expect(response.headers.get('allow')).toBe('POST')
      expect(response.headers.get('access-control-allow-origin')).toBeNull()
    }
    expect((await call(path)).headers.get('access-control-allow-origin')).toBeNull()
  })
})

test('every call of an internal endpoint gets 403 without a configured INTERNAL_SECRET', async () => {
  const platformWithoutSecret = await startTestPlatform({ INTERNAL_SECRET: '' })
  for (const path of PATHS)
    for (const authorization of ['Bearer ', 'Bearer undefined', `Bearer ${INTERNAL_SECRET}`])
      expect(await platformWithoutSecret.post(path, {}, { authorization })).toMatchObject({
        status: 403,
      })
  await platformWithoutSecret.stop()
})

test('a failed call of an internal endpoint gets 500 and the reason', async () => {
  const instanceWithoutHasura = await platform.anotherInstance({
    HASURA_GRAPHQL_ENDPOINT: `http://127.0.0.1:${await freePort()}`,
  })
  for (const path of ['/api/_ens', '/api/_jwk-gen', '/api/_expire']) {
    const reply = await call(path, {}, instanceWithoutHasura)
    expect([path, reply.status, reply.body]).toEqual([
      path,
      500,
      { success: false, error: defaultsOfCode('unavailable').detail },
    ])
  }
  await instanceWithoutHasura.stop()
})

describe('_jwk-gen creates signing keys', () => {
  test('_jwk-gen creates a key for twelve months, which is published within a second', async () => {
    const { status, body } = await call('/api/_jwk-gen')
    expect(status).toBe(201)
    expect(body).toEqual({
      success: true,
      jwk: {
        __typename: 'jwks',
        id: expect.stringMatching(/^jwk_[0-9a-f]{32}$/),
        expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      },
    })
    const { id, expires_at } = Object(body).jwk
    const days = (Date.parse(expires_at) - Date.now()) / DAY
    expect(days).toBeGreaterThan(364)
    expect(days).toBeLessThan(367)
    expect(await publishedIds()).toContain(id)
  })

  test('_jwk-gen leaves the existing keys alone and always creates a different one', async () => {
    const idsBefore = await publishedIds()
    await Promise.all([call('/api/_jwk-gen'), call('/api/_jwk-gen')])
    const idsAfter = await publishedIds()
    expect(idsAfter).toEqual(expect.arrayContaining(idsBefore))
    expect(new Set(idsAfter).size).toBe(idsBefore.length + 2)
  })
})

describe('_expire deletes expired signing keys', () => {
  test('_expire deletes expired signing keys and no others', async () => {
    await call('/api/_jwk-gen')
    expect(await call('/api/_expire')).toMatchObject({
      status: 200,
      body: { success: true, deleted: { jwks: 0, account_links: 0 } },
    })
    const { rows } = await platform.db.query(
      "update jwks set expires_at = now() - interval '1 second' where id in (select id from jwks limit 1) returning id",
    )
    expect(await call('/api/_expire')).toMatchObject({ body: { deleted: { jwks: 1 } } })
    const remainingRows = await platform.db.query('select from jwks where id = $1', [rows[0].id])
    expect(remainingRows.rowCount).toBe(0)
    expect((await publishedIds()).length).toBeGreaterThan(0)
  })
})

describe('_expire deletes old mails', () => {
  test('_expire deletes mails that were sent or given up a month ago, and no others', async () => {
    const { rows } = await platform.db.query(
      `with person as (
        insert into "user" (email, name, password_hash)
        values ('ada@example.com', 'Ada', '$argon2id$') returning id
      )
      insert into mail (user_id, kind, created_at, sent_at)
      select person.id, 'verify_email', now() - age::interval, now() - sent::interval
      from person, (values
        ('31 days', '31 days'), ('31 days', null), ('29 days', '29 days'), ('1 minute', null)
      ) as made (age, sent)
      returning id, created_at > now() - interval '30 days' as stays`,
    )
    expect(await call('/api/_expire')).toMatchObject({ body: { deleted: { mails: 2 } } })
    const remainingRows = await platform.db.query('select id from mail order by id')
    const expectedIds = rows.filter(({ stays }) => stays).map(({ id }) => ({ id }))
    expect(remainingRows.rows).toEqual(expectedIds.toSorted((a, b) => a.id.localeCompare(b.id)))
  })
})

describe('_expire deletes unverified accounts', () => {
  test('_expire deletes accounts that were not verified within a week, with their teams, and no others', async () => {
    const { rows } = await platform.db.query(
      `with person as (
        insert into "user" (email, name, password_hash, created_at, email_verified_at)
        select name || '@example.com', name, 'hash', now() - age::interval, verified
        from (values
          ('abandoned', '8 days', null), ('waiting', '6 days', null), ('verified', '8 days', now())
        ) as made (name, age, verified)
        returning id, name
      ), made_team as (
        insert into team (name) select name from person returning id, name
      )
      insert into membership (team_id, user_id, role)
      select made_team.id, person.id, 'OWNER' from person join made_team using (name)
      returning user_id, team_id`,
    )
    const { body } = await call('/api/_expire')
    expect(body).toMatchObject({ deleted: { unverified_accounts: 1 } })
    const remainingRows = await platform.db.query(
      `select "user".name, deleted_at from membership join "user" on "user".id = user_id
        join team on team.id = team_id
      where user_id = any ($1) order by "user".name`,
      [rows.map(({ user_id }) => user_id)],
    )
    expect(remainingRows.rows).toEqual([
      { name: 'verified', deleted_at: null },
      { name: 'waiting', deleted_at: null },
    ])
    const teams = await platform.db.query(
      'select from team where id = any ($1) and deleted_at is null',
      [rows.map(({ team_id }) => team_id)],
    )
    expect(teams.rowCount).toBe(2)
  })

  test('_expire keeps an account if its address is verified at that moment', async () => {
    const { rows } = await platform.db.query(
      `insert into "user" (email, name, password_hash, created_at)
      values ('late@example.com', 'Late', 'hash', now() - interval '8 days') returning id`,
    )
    await platform.db.query('begin')
    await platform.db.query('update "user" set email_verified_at = now() where id = $1', [
      rows[0].id,
    ])
    expect((await call('/api/_expire')).body).toMatchObject({ deleted: { unverified_accounts: 0 } })
    await platform.db.query('commit')
    const remainingRows = await platform.db.query('select from "user" where id = $1', [rows[0].id])
    expect(remainingRows.rowCount).toBe(1)
  })
})

describe('_gen-external-nullifier fills the column of an action', () => {
  test('_gen-external-nullifier fills the column however often it is called', async () => {
    const id = await platform.action(app, { action: 'filled' })
    const expected = formatField(externalNullifier(app, 'filled'))
    for (let i = 0; i < 2; i++) {
      const reply = await call('/api/_gen-external-nullifier', event({ id, action: 'filled' }))
      expect(reply).toMatchObject({ status: 200, body: { success: true } })
      expect(await columnOf(id)).toBe(expected)
    }
  })

  test('_gen-external-nullifier accepts an action with a description of 999,000 characters', async () => {
    const id = await platform.action(app, { action: 'described' })
    const row = { id, action: 'described', description: 'x'.repeat(999_000) }
    expect(await call('/api/_gen-external-nullifier', event(row))).toMatchObject({ status: 200 })
    expect(await columnOf(id)).toBe(formatField(externalNullifier(app, 'described')))
  })

  test('_gen-external-nullifier succeeds for an action that no longer exists', async () => {
    const reply = await call('/api/_gen-external-nullifier', event({ id: 'action_gone' }))
    expect(reply).toMatchObject({ status: 200, body: { success: true } })
  })

  test.each([
    [{}, 'event'],
    [{ event: { data: { new: null } } }, 'event.data.new'],
  ])('_gen-external-nullifier rejects %j', async (body, attribute) => {
    expect(await call('/api/_gen-external-nullifier', body)).toMatchObject({
      status: 400,
      body: { code: 'validation_error', attribute },
    })
  })
})

function call(path: string, body: unknown = {}, { baseUrl }: { baseUrl: string } = platform) {
  return post(baseUrl + path, body, { authorization: `Bearer ${INTERNAL_SECRET}` })
}

function event(row: { id: string; action?: string; description?: string }) {
  return { event: { op: 'INSERT', data: { old: null, new: { action: '', app_id: app, ...row } } } }
}

async function columnOf(id: string): Promise<string | null> {
  const { rows } = await platform.db.query('select external_nullifier from action where id = $1', [
    id,
  ])
  return rows[0].external_nullifier
}

/** Reads the published keys a second later, because changes may take that long to appear. */
async function publishedIds(): Promise<string[]> {
  platform.clock.aheadMs += 1_000
  const keySet = await (await fetch(`${platform.baseUrl}/api/v1/jwks`)).json()
  return Object(keySet).keys.map(({ kid }: { kid: string }) => kid)
}
