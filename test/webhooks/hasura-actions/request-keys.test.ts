import { privateKeyToAddress } from 'viem/accounts'
import { describe, expect } from 'vitest'
import { callAction, type Person } from '../../support/webhooks/people.ts'
import { test } from '../../support/webhooks/platform-test.ts'
import {
  codeOf,
  join,
  keySession,
  makeApp,
  owner,
  platform,
  setTheScene,
  stranger,
} from '../../support/webhooks/team-scene.ts'

setTheScene()

const ACTIONS = ['create_request_key', 'rotate_request_key'] as const
type ActionName = (typeof ACTIONS)[number]

describe.each(ACTIONS)('%s returns a new request signing key of an app', (name) => {
  test.each(['OWNER', 'ADMIN'])(
    `${name} returns a private key to an %s, and stores only its address`,
    async (role) => {
      const app = await makeApp(owner.team)
      if (role !== 'OWNER') await join(stranger, owner.team, role)
      const caller = role === 'OWNER' ? owner : stranger
      const key = await newKey(caller, name, app)
      expect(key.private_key).toMatch(/^0x[0-9a-f]{64}$/)
      expect(key.address).toBe(privateKeyToAddress(key.private_key).toLowerCase())
      expect(await keysOf(app)).toEqual([{ id: key.id, address: key.address, is_active: true }])
      expect(await dumpOf(app)).not.toContain(key.private_key.slice(2))
    },
  )

  test.each(['MEMBER', null])(`${name} rejects a caller with the role %s`, async (role) => {
    const app = await makeApp(owner.team)
    if (role) await join(stranger, owner.team, role)
    expect(codeOf(await call(stranger, name, app))).toBe('permission_denied')
    expect(await keysOf(app)).toEqual([])
  })

  test(`${name} accepts an API key of the app's team, and rejects apps of other teams`, async () => {
    const team = await platform.team()
    const app = await platform.app({ team })
    const { body } = await callAction(platform, name, { app_id: app }, keySession(team))
    expect(await keysOf(app)).toMatchObject([{ address: Object(body).address }])
    const { rows } = await platform.db.query(
      `select operation, actor_role, actor_id, team_id, changes #>> '{address,new}' as address
       from audit where subject = 'request_key' and subject_id = $1`,
      [Object(body).id],
    )
    const by = { actor_role: 'api_key', actor_id: team.keyId, team_id: team.id }
    expect(rows).toEqual([{ operation: 'insert', address: Object(body).address, ...by }])
    const foreign = await makeApp(owner.team)
    const refusal = await callAction(platform, name, { app_id: foreign }, keySession(team))
    expect(refusal.body).toMatchObject({ extensions: { code: 'permission_denied' } })
    expect(await keysOf(foreign)).toEqual([])
  })

  test(`${name} rejects an archived app, an unknown app and a revoked API key`, async () => {
    const app = await makeApp(owner.team)
    await platform.db.query('update app set is_archived = true where id = $1', [app])
    expect(codeOf(await call(owner, name, app))).toBe('permission_denied')
    expect(codeOf(await call(owner, name, 'app_none'))).toBe('permission_denied')
    const team = await platform.team()
    const ofTeam = await platform.app({ team })
    await platform.db.query('update api_key set is_active = false where id = $1', [team.keyId])
    const { body } = await callAction(platform, name, { app_id: ofTeam }, keySession(team))
    expect(body).toMatchObject({ extensions: { code: 'permission_denied' } })
    expect([...(await keysOf(app)), ...(await keysOf(ofTeam))]).toEqual([])
  })

  test(`${name} rejects the apps of a blocked team and of a deleted team`, async () => {
    const app = await makeApp(owner.team)
    await platform.db.query("select block_team($1, 'a test')", [owner.team])
    expect(codeOf(await call(owner, name, app))).toBe('permission_denied')
    const other = await makeApp(stranger.team)
    await platform.db.query('select delete_team($1, $2)', [stranger.id, stranger.team])
    expect(codeOf(await call(stranger, name, other))).toBe('permission_denied')
    expect([...(await keysOf(app)), ...(await keysOf(other))]).toEqual([])
  })

  test(`ten simultaneous calls of ${name} leave one active key`, async () => {
    const app = await makeApp(owner.team)
    const replies = await Promise.all(Array.from({ length: 10 }, () => call(owner, name, app)))
    const keys = replies.flatMap((reply) => (reply.data ? [reply.data[name]] : []))
    expect(keys).toHaveLength(name === 'create_request_key' ? 1 : 10)
    const active = (await keysOf(app)).filter(({ is_active }) => is_active)
    expect(active).toHaveLength(1)
    expect(keys.map(({ address }) => address)).toContain(active[0]?.address)
  })
})

test('create_request_key rejects an app with an active key, and rotate_request_key replaces this key', async () => {
  const app = await makeApp(owner.team)
  const first = await newKey(owner, 'create_request_key', app)
  expect(codeOf(await call(owner, 'create_request_key', app))).toBe('request_key_exists')
  const second = await newKey(owner, 'rotate_request_key', app)
  expect(await keysOf(app)).toEqual([
    { id: first.id, address: first.address, is_active: false },
    { id: second.id, address: second.address, is_active: true },
  ])
})

test('an app keeps its active key and the ten keys that were replaced last, and the audit trail has each key', async () => {
  const app = await makeApp(owner.team)
  const created: string[] = []
  for (let n = 0; n < 14; n += 1)
    created.push((await newKey(owner, 'rotate_request_key', app)).address)
  const keys = await keysOf(app)
  expect(keys.map(({ address }) => address)).toEqual(created.slice(-11))
  expect(keys.map(({ is_active }) => is_active)).toEqual([...Array(10).fill(false), true])
  expect(await auditedAddresses(app)).toEqual(created)
})

test('forty simultaneous rotations leave one active key and ten replaced keys', async () => {
  const app = await makeApp(owner.team)
  const replies = await Promise.all(
    Array.from({ length: 40 }, () => call(owner, 'rotate_request_key', app)),
  )
  const addresses = replies.flatMap(({ data }) => data?.rotate_request_key.address ?? [])
  expect(addresses.length).toBeGreaterThan(11)
  const keys = await keysOf(app)
  expect(keys.filter(({ is_active }) => is_active)).toHaveLength(1)
  expect(keys).toHaveLength(11)
  expect(new Set(await auditedAddresses(app))).toEqual(new Set(addresses))
})

test('the database refuses to activate a replaced key again, and to change an address', async () => {
  const app = await makeApp(owner.team)
  await newKey(owner, 'create_request_key', app)
  await newKey(owner, 'rotate_request_key', app)
  for (const change of ['is_active = true', "address = '0x' || repeat('0', 40)"])
    await expect(
      platform.db.query(`update request_key set ${change} where app_id = $1`, [app]),
    ).rejects.toThrow('request_key cannot be changed')
})

test('every member of the team, and nobody else, reads the addresses of its apps', async () => {
  const app = await makeApp(owner.team)
  const { address } = await newKey(owner, 'create_request_key', app)
  const query =
    'query ($app: String!) { request_key(where: { app_id: { _eq: $app } }) { address } }'
  expect((await stranger.graphql(query, { app })).data).toEqual({ request_key: [] })
  await join(stranger, owner.team, 'MEMBER')
  expect((await stranger.graphql(query, { app })).data).toEqual({ request_key: [{ address }] })
})

function call(caller: Person, name: ActionName, app: string) {
  return caller.graphql(
    `mutation ($app: String!) { ${name}(app_id: $app) { id address private_key } }`,
    { app },
  )
}

async function newKey(caller: Person, name: ActionName, app: string) {
  const reply = await call(caller, name, app)
  expect(reply.errors).toBeUndefined()
  return reply.data[name]
}

async function keysOf(app: string) {
  const { rows } = await platform.db.query(
    'select id, address, is_active from request_key where app_id = $1 order by created_at',
    [app],
  )
  return rows
}

/** Reads the addresses of all keys that an app ever had, in the order of their creation. */
async function auditedAddresses(app: string): Promise<string[]> {
  const { rows } = await platform.db.query(
    `select changes #>> '{address,new}' as address from audit
     where subject = 'request_key' and operation = 'insert' and changes #>> '{app_id,new}' = $1
     order by created_at, id`,
    [app],
  )
  return rows.map(({ address }) => address)
}

/** Returns the rows about an app's keys as text, with their audit records. */
async function dumpOf(app: string): Promise<string> {
  const { rows } = await platform.db.query(
    `select to_jsonb(request_key)::text || coalesce((select jsonb_agg(to_jsonb(audit))::text from audit where subject_id = request_key.id), '') as text
     from request_key where app_id = $1`,
    [app],
  )
  return JSON.stringify(rows)
}
