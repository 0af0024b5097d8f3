import { beforeAll, expect, test } from 'vitest'
import { readTrail } from '../support/hasura/audit-records.ts'
import { APP, project, setTheScene, TEAM } from '../support/hasura/own-team-scene.ts'
import { CALLERS } from '../support/hasura/team-callers.ts'
import { createOperator, type Operator } from '../support/operations/operator-commands.ts'

// Runs the command create-app of docs/operations/tasks.md.

const DIGITS = '0123456789abcdef0123456789abcdef'
const NEW_APP = { APP: `app_${DIGITS}`, TEAM, NAME: 'Votes', IS_STAGING: 'false' }

let operator: Operator

setTheScene()
beforeAll(async () => {
  const adminSecret = project.headers['x-hasura-admin-secret'] ?? ''
  operator = await createOperator({ url: project.url, adminSecret })
})

test('create-app creates an app with the id, with a sign-in action and a record of the reviewer', async () => {
  expect(await operator.run('create-app', NEW_APP)).toEqual({
    data: {
      create_app_with_id: [
        {
          id: NEW_APP.APP,
          name: 'Votes',
          is_staging: false,
          team: { id: TEAM, name: 'Team mine' },
        },
      ],
    },
  })
  const records = await readTrail(`subject = 'app' and subject_id = '${NEW_APP.APP}'`)
  expect(records).toMatchObject([{ team_id: TEAM, actor_role: 'reviewer', operation: 'insert' }])
  expect(
    await project.rows(
      `select action, max_verifications from action where app_id = '${NEW_APP.APP}'`,
    ),
  ).toEqual([['', '0']])
})

test('create-app creates a staging app with the id of a staging app', async () => {
  const staging = { ...NEW_APP, APP: `app_staging_${DIGITS}`, IS_STAGING: 'true' }
  expect((await operator.run('create-app', staging)).data.create_app_with_id).toMatchObject([
    { id: staging.APP, is_staging: true },
  ])
})

test('create-app refuses an id that an app has, also twice at the same time', async () => {
  const answers = await Promise.all([1, 2].map(() => operator.run('create-app', NEW_APP)))
  expect(answers.map(messageOf).toSorted()).toEqual([
    `there is an app ${NEW_APP.APP} already`,
    undefined,
  ])
  expect(messageOf(await operator.run('create-app', { ...NEW_APP, APP }))).toMatch(
    /^there is an app|^app_id must be/,
  )
})

test.each([
  'app_0123',
  `app_${DIGITS}0`,
  `app_${DIGITS.toUpperCase()}`,
  `wid_${DIGITS}`,
  `app_production_${DIGITS}`,
  `app_${DIGITS}\\n`,
  '',
])('create-app refuses the malformed id "%s"', async (id) => {
  const answer = await operator.run('create-app', { ...NEW_APP, APP: id })
  expect(messageOf(answer)).toMatch(/^app_id must be app_ or app_staging_ and 32 lower-case hex/)
})

test.each([
  [`app_${DIGITS}`, 'true'],
  [`app_staging_${DIGITS}`, 'false'],
])('create-app refuses the id %s with is_staging %s', async (id, isStaging) => {
  const answer = await operator.run('create-app', { ...NEW_APP, APP: id, IS_STAGING: isStaging })
  expect(messageOf(answer)).toMatch(/^the id of a staging app begins with app_staging_/)
})

test('create-app refuses an unknown, a deleted and a blocked team', async () => {
  expect(messageOf(await operator.run('create-app', { ...NEW_APP, TEAM: 'team_none' }))).toBe(
    'there is no team team_none',
  )
  await operator.run('block-team', { TEAM, REASON: 'Spam' })
  expect(messageOf(await operator.run('create-app', NEW_APP))).toBe(
    `team_blocked: the team ${TEAM} is blocked`,
  )
  await project.sql(`update team set deleted_at = now() where id = '${TEAM}'`)
  expect(messageOf(await operator.run('create-app', NEW_APP))).toBe(`there is no team ${TEAM}`)
  expect(await project.rows(`select id from app where id = '${NEW_APP.APP}'`)).toEqual([])
})

test('no team gets an app with an id that it passes, and no other id instead', async () => {
  const insert = `mutation { insert_app_one(object: {id: "${NEW_APP.APP}", name: "x"}) { id } }`
  for (const caller of [CALLERS.owner, CALLERS.key])
    expect(messageOf((await project.graphql(insert, {}, caller)).body)).toBe(
      `field 'id' not found in type: 'app_insert_input'`,
    )
  expect(await readTrail(`subject = 'app' and changes::text like '%"x"%'`)).toEqual([])
})

test('no user, API key or service may call create_app_with_id', async () => {
  const create = `mutation { create_app_with_id(args: {app_id: "${NEW_APP.APP}", team_id: "${TEAM}", name: "x", is_staging: false}) { id } }`
  for (const caller of [CALLERS.owner, CALLERS.key, { 'x-hasura-role': 'service' }]) {
    const { body } = await project.graphql(create, {}, caller)
    expect(Object(body).errors?.[0].extensions.code).toBe('validation-failed')
  }
})

function messageOf(answer: unknown): string | undefined {
  return Object(answer).errors?.[0].message
}
