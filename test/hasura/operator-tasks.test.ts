import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { latestRecord, readTrail, reviewerRecord } from '../support/hasura/audit-records.ts'
import { APP, project, setTheScene, TEAM } from '../support/hasura/own-team-scene.ts'
import { CALLERS } from '../support/hasura/team-callers.ts'
import { teamRowId } from '../support/hasura/team-rows.ts'
import { createOperator, type Operator } from '../support/operations/operator-commands.ts'

// Runs the commands of docs/operations/tasks.md, and checks that no other role may run these tasks.

const KEY = teamRowId('mine', 'key')
const OWNER = teamRowId('mine', 'usr', 1)
const ADMIN = teamRowId('mine', 'usr', 2)
const PERSON = `0x${'a'.repeat(63)}1`

let operator: Operator

setTheScene()
beforeAll(async () => {
  const adminSecret = project.headers['x-hasura-admin-secret'] ?? ''
  operator = await createOperator({ url: project.url, adminSecret })
})

test('the configuration of curl has the admin secret, and only its owner can read the file', () => {
  const file = join(operator.home, 'operator.curl')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readFileSync(file, 'utf8')).toContain(project.headers['x-hasura-admin-secret'])
})

test('the commands find the team of an app, and the teams of a user by address', async () => {
  expect(await operator.run('find-team', { APP })).toMatchObject({
    data: { app: [{ id: APP, name: 'First of mine', team: { id: TEAM, blocked_at: null } }] },
  })
  expect(await operator.run('find-user', { EMAIL: 'owner@mine.example' })).toEqual({
    data: {
      user: [
        {
          id: OWNER,
          name: 'Owner mine',
          memberships: [{ role: 'OWNER', team: { id: TEAM, name: 'Team mine' } }],
        },
      ],
    },
  })
})

test('verify-app verifies an app only if its name and logo are unchanged', async () => {
  const reviewedApp = { APP, NAME: 'First of mine', LOGO_URL: 'https://mine.example/1' }
  const verify = () => operator.run('verify-app', reviewedApp)
  expect(await verify()).toEqual({ data: { update_app: { affected_rows: 1 } } })
  expect(await latestRecord()).toMatchObject({
    actor_role: 'reviewer',
    subject_id: APP,
    changes: { is_verified: { old: false, new: true } },
  })
  await project.sql(`update app set name = 'Your bank' where id = '${APP}'`)
  expect(await verify()).toEqual({ data: { update_app: { affected_rows: 0 } } })
})

test('change-quota changes a quota at once, and the audit trail has the old and the new value', async () => {
  const { data } = await operator.run('quotas')
  expect(data.quota).toContainEqual({
    kind: 'app',
    most: 200,
    description: 'apps, archived ones included, in a team',
  })
  const createApp = `mutation { insert_app_one(object: {name: "x"}) { id } }`
  await operator.run('change-quota', { KIND: 'app', MOST: '2' })
  expect(await messageOf(createApp, CALLERS.key)).toMatch(/^quota_exceeded: at most 2 apps/)
  await operator.run('change-quota', { KIND: 'app', MOST: '200' })
  expect(await messageOf(createApp, CALLERS.key)).toBe(null)
  expect(await readTrail("subject = 'quota'")).toEqual([
    reviewerRecord({
      subject: 'quota',
      subject_id: 'app',
      changes: { most: { old: 200, new: 2 } },
    }),
    reviewerRecord({
      subject: 'quota',
      subject_id: 'app',
      changes: { most: { old: 2, new: 200 } },
    }),
  ])
})

describe('block-team revokes the keys and archives the apps until unblock-team', () => {
  const activate = {
    key: `mutation { update_api_key(where: {}, _set: {is_active: true}) { affected_rows } }`,
    app: `mutation { update_app(where: {}, _set: {is_archived: false}) { affected_rows } }`,
    newApp: `mutation { insert_app_one(object: {name: "x", team_id: "${TEAM}"}) { id } }`,
  }

  test('a blocked team reads its rows, but activates nothing until it is unblocked', async () => {
    const { data } = await operator.run('block-team', { TEAM, REASON: 'It sends \\"spam\\"' })
    expect(data.block_team).toEqual([
      {
        id: TEAM,
        name: 'Team mine',
        blocked_at: expect.any(String),
        block_reason: 'It sends "spam"',
      },
    ])
    expect(await activeRows()).toEqual([])
    for (const mutation of Object.values(activate))
      expect(await messageOf(mutation, CALLERS.owner)).toBe(
        `team_blocked: the team ${TEAM} is blocked`,
      )
    expect(await activeRows()).toEqual([])
    const readTeam = `{ team { blocked_at apps { id } } }`
    const { body } = await project.graphql(readTeam, {}, CALLERS.member)
    expect(Object(body).data.team).toEqual([
      { blocked_at: expect.any(String), apps: [{ id: expect.any(String) }, expect.anything()] },
    ])

    expect(await operator.run('unblock-team', { TEAM })).toMatchObject({
      data: { unblock_team: [{ id: TEAM, blocked_at: null }] },
    })
    expect(await activeRows()).toEqual([])
    for (const mutation of Object.values(activate))
      expect(await messageOf(mutation, CALLERS.owner)).toBe(null)
    expect(await activeRows()).toHaveLength(4)
  })

  test('the audit trail has the reason, and each key and app that was active', async () => {
    await operator.run('block-team', { TEAM, REASON: 'Spam' })
    await operator.run('unblock-team', { TEAM })
    const records = await readTrail(`team_id = '${TEAM}' and actor_role = 'reviewer'`)
    const blockRecord = records.find(({ subject }) => subject === 'team')
    expect(blockRecord?.changes).toEqual({
      blocked_at: { new: expect.any(String) },
      block_reason: { new: 'Spam' },
    })
    const subjects = records.map(({ subject }) => subject)
    expect(subjects.toSorted()).toEqual(['api_key', 'app', 'app', 'team', 'team'])
  })

  test('a second block keeps the time of the first, and an unknown or deleted team gives an empty list', async () => {
    const [first] = (await operator.run('block-team', { TEAM, REASON: 'One' })).data.block_team
    const [second] = (await operator.run('block-team', { TEAM, REASON: 'Two' })).data.block_team
    expect(second).toEqual({ ...first, block_reason: 'Two' })
    await operator.run('unblock-team', { TEAM })
    expect((await operator.run('unblock-team', { TEAM })).data.unblock_team).toEqual([])
    await project.sql(`update team set deleted_at = now() where id = '${TEAM}'`)
    for (const team of [TEAM, 'team_none'])
      expect(
        (await operator.run('block-team', { TEAM: team, REASON: 'x' })).data.block_team,
      ).toEqual([])
  })
})

test('block-key revokes a key, the owner may activate it again, and the reviewer may not', async () => {
  expect(await operator.run('block-key', { KEY })).toMatchObject({
    data: { update_api_key_by_pk: { id: KEY, is_active: false, team: { id: TEAM } } },
  })
  expect(await latestRecord()).toEqual(
    reviewerRecord({
      team_id: TEAM,
      subject: 'api_key',
      subject_id: KEY,
      changes: { is_active: { old: true, new: false } },
    }),
  )
  const activate = `mutation { update_api_key(where: {}, _set: {is_active: true}) { affected_rows } }`
  expect(await messageOf(activate, CALLERS.reviewer)).not.toBe(null)
  expect(await messageOf(activate, CALLERS.owner)).toBe(null)
})

test('the audit command lists the latest tasks of all teams', async () => {
  await operator.run('block-key', { KEY })
  const { data } = await operator.run('audit')
  expect(data.audit[0]).toEqual({
    ...(await latestRecord()),
    created_at: expect.any(String),
  })
  expect(data.audit[0]).toMatchObject({ subject: 'api_key', subject_id: KEY })
})

const TASKS = [
  `block_team(args: {team_id: "${TEAM}", reason: "x"}) { id }`,
  `unblock_team(args: {team_id: "${TEAM}"}) { id }`,
  `delete_person(args: {nullifier_hash: "${PERSON}"}) { id }`,
  `delete_user_account(args: {user_id: "${ADMIN}"}) { id }`,
  'update_quota(where: {}, _set: {most: 1}) { affected_rows }',
  `update_team(where: {}, _set: {blocked_at: null}) { affected_rows }`,
  `record_task(args: {}) { id }`,
]
const OTHERS = {
  ...CALLERS,
  reviewer: { 'x-hasura-role': 'unverified_user', 'x-hasura-user-id': OWNER },
  service: { 'x-hasura-role': 'service' },
}

test.each(TASKS)('no user, API key or service may call %s', async (task) => {
  for (const [name, caller] of Object.entries(OTHERS)) {
    const { body } = await project.graphql(`mutation { ${task} }`, {}, caller)
    expect(Object(body).errors?.[0].extensions.code, name).toBe('validation-failed')
  }
})

async function activeRows() {
  return project.rows(`
    select id from app where team_id = '${TEAM}' and not is_archived
    union all select id from api_key where team_id = '${TEAM}' and is_active`)
}

/** Returns the error message of an operation; null if the operation succeeds. */
async function messageOf(query: string, caller: Record<string, string>): Promise<string | null> {
  const { body } = await project.graphql(query, {}, caller)
  return Object(body).errors?.[0].message ?? null
}
