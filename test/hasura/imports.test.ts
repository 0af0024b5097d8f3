import { expect, test } from 'vitest'
import { APP, project, setTheScene } from '../support/hasura/own-team-scene.ts'
import { CALLERS } from '../support/hasura/team-callers.ts'
import { teamRowId } from '../support/hasura/team-rows.ts'

// The functions that the command import-app calls (docs/operations/import.md).

const WID = `wid_${'0'.repeat(32)}`
const HASH = `0x${'07'.repeat(32)}`
const REVIEWER = { 'x-hasura-role': 'reviewer' }

setTheScene()

test('start_import creates an action with its id, which is inactive until finish_import', async () => {
  expect(await start({ action_id: WID, action: 'earlier' })).toMatchObject({
    data: { start_import: [{ action_id: WID, status_after: 'active', finished_at: null }] },
  })
  expect(await statusOf(WID)).toBe('inactive')
  expect(
    await run(
      `import_people(args: {action_id: "${WID}", people: [{nullifier_hash: "${HASH}", uses: 1}]})`,
    ),
  ).toMatchObject({ data: {} })
  expect(messageOf(await finish(WID, 2, 1))).toBe(
    `the source has 2 people with 1 uses for the action ${WID}, and 1 people with 1 uses are stored`,
  )
  expect(await statusOf(WID)).toBe('inactive')
  expect(await finish(WID, 1, 1)).toMatchObject({
    data: { finish_import: [{ finished_at: expect.any(String) }] },
  })
  expect(await statusOf(WID)).toBe('active')
})

test('start_import refuses an action whose nullifiers are computed in another way', async () => {
  const existing = teamRowId('mine', 'action', 1)
  expect(messageOf(await start({ action_id: WID, action: 'vote-mine' }))).toBe(
    `the action "vote-mine" has the id ${existing} here, and ${WID} in the import: their nullifiers differ`,
  )
  expect(messageOf(await start({ action_id: existing, action: 'new' }))).toBe(
    `there is another action with the id ${existing}: leave the id out`,
  )
  expect(messageOf(await start({ action_id: 'action_1', action: 'new' }))).toMatch(
    /^action_id must be action_, wid_ or wid_staging_ and 32 lower-case hex digits; got action_1/,
  )
  expect(messageOf(await start({ app_id: 'app_none', action: 'new' }))).toBe(
    'there is no app app_none',
  )
  expect(messageOf(await start({ action_id: WID, action: 'new ' }))).toBe(
    'the action "new " begins or ends with a space: the platform does not accept this identifier',
  )
})

test('import_people and finish_import refuse an action whose import has not begun', async () => {
  const action = teamRowId('mine', 'action', 1)
  const expected = `no import of the action ${action} has begun: call start_import first`
  expect(messageOf(await run(`import_people(args: {action_id: "${action}", people: []})`))).toBe(
    expected,
  )
  expect(messageOf(await finish(action, 0, 0))).toBe(expected)
})

test('no user, API key or service may import, and none sees what was imported', async () => {
  const fields = [
    `start_import(args: {app_id: "${APP}"}) { action_id }`,
    `import_people(args: {action_id: "x", people: []}) { action_id }`,
    `finish_import(args: {action_id: "x", people: 0, uses: 0}) { action_id }`,
  ]
  for (const caller of [CALLERS.owner, CALLERS.key, { 'x-hasura-role': 'service' }]) {
    for (const field of fields)
      expect(await codeOf(`mutation { ${field} }`, caller)).toBe('validation-failed')
    expect(await codeOf('{ import { people } }', caller)).toBe('validation-failed')
    expect(await codeOf('{ nullifier { imported } }', caller)).toBe('validation-failed')
  }
})

type Start = { app_id?: string; action_id?: string; action: string }

function start({ app_id = APP, action_id, action }: Start) {
  const id = action_id ? `action_id: "${action_id}"` : 'action_id: null'
  return run(`start_import(args: {app_id: "${app_id}", ${id}, action: "${action}", name: "", description: "",
    max_verifications: 1, status: "active", protocol: "3.0"})`)
}

function finish(action: string, people: number, uses: number) {
  return run(`finish_import(args: {action_id: "${action}", people: ${people}, uses: ${uses}})`)
}

async function run(field: string) {
  const query = `mutation { ${field} { action_id status_after finished_at } }`
  return (await project.graphql(query, {}, REVIEWER)).body
}

async function codeOf(query: string, caller: Record<string, string>) {
  return Object((await project.graphql(query, {}, caller)).body).errors?.[0].extensions.code
}

async function statusOf(action: string) {
  return (await project.rows(`select status from action where id = '${action}'`))[0]?.[0]
}

function messageOf(answer: unknown): string | undefined {
  return Object(answer).errors?.[0].message
}
