import { Client } from 'pg'
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

test('a status that the team sets during the import stays after finish_import', async () => {
  const created = `action_${'1'.repeat(32)}`
  await start({ action_id: created, action: 'created' })
  // The team opens the action, and closes it again: the action has the same status as at the begin of the import.
  for (const status of ['active', 'inactive'])
    await project.sql(`update action set status = '${status}' where id = '${created}'`)
  await finish(created, 0, 0)
  expect(await statusOf(created)).toBe('inactive')

  const existing = teamRowId('mine', 'action', 1)
  await start({ action: 'vote-mine' })
  await project.sql(`update action set status = 'inactive' where id = '${existing}'`)
  await finish(existing, 0, 0)
  expect(await statusOf(existing)).toBe('inactive')
})

test('a status that the team sets at the same time as finish_import stays', async () => {
  const created = `action_${'1'.repeat(32)}`
  await start({ action_id: created, action: 'created' })
  const team = new Client(project.superuserUrl)
  await team.connect()
  await team.query('begin')
  for (const status of ['active', 'inactive'])
    await team.query('update action set status = $1 where id = $2', [status, created])
  const finishing = finish(created, 0, 0)
  const waiting =
    "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
  await expect.poll(() => project.rows(waiting)).toHaveLength(1)
  await team.query('commit')
  await team.end()
  expect(await finishing).toMatchObject({ data: { finish_import: [{ status_after: null }] } })
  expect(await statusOf(created)).toBe('inactive')
})

test('the audit trail has one record at the begin and one at the end of an import, with its source and totals', async () => {
  await start({ action_id: WID, action: 'earlier', source: 'first.jsonl', people: 2, uses: 3 })
  await start({ action_id: WID, action: 'earlier', source: 'first.jsonl', people: 2, uses: 3 })
  for (const [hash, uses] of [
    [HASH, 1],
    [`0x${'08'.repeat(32)}`, 2],
  ])
    await run(
      `import_people(args: {action_id: "${WID}", people: [{nullifier_hash: "${hash}", uses: ${uses}}]})`,
    )
  await finish(WID, 2, 3)
  await finish(WID, 2, 3)
  const begin = {
    action: { new: 'earlier' },
    source: { new: 'first.jsonl' },
    people: { new: 2 },
    uses: { new: 3 },
  }
  const end = {
    source: { new: 'first.jsonl' },
    people: { old: 0, new: 2 },
    uses: { old: 0, new: 3 },
  }
  expect(await trailOf(WID)).toEqual([
    ['insert', 'reviewer', begin],
    ['update', 'reviewer', end],
  ])
})

test('the audit trail has the begin of an import from another source, and of people who come after the end', async () => {
  await start({ action_id: WID, action: 'earlier', source: 'first.jsonl' })
  await start({ action_id: WID, action: 'earlier', source: 'second.jsonl' })
  await finish(WID, 0, 0)
  const person = `import_people(args: {action_id: "${WID}", people: [{nullifier_hash: "${HASH}", uses: 1}]})`
  for (let n = 0; n < 3; n += 1) await run(person)
  const trail = await trailOf(WID)
  expect(trail.map(([operation, , { source }]) => [operation, source.new])).toEqual([
    ['insert', 'first.jsonl'],
    ['insert', 'second.jsonl'],
    ['update', 'second.jsonl'],
    ['insert', 'second.jsonl'],
  ])
})

test('imports that begin at the same time create one action', async () => {
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => start({ action: 'created', source: 'same.jsonl' })),
  )
  const ids = answers.map((answer) => Object(answer).data?.start_import[0].action_id)
  expect(new Set(ids)).toEqual(new Set([expect.stringMatching(/^action_[0-9a-f]{32}$/)]))
  expect(await trailOf(ids[0])).toHaveLength(1)
})

test('start_import refuses a source that is empty, too long or on several lines', async () => {
  for (const source of ['', 'x'.repeat(1_025), 'two\\nlines'])
    expect(messageOf(await start({ action: 'created', source }))).toMatch(/import_source_is_/)
  expect(await project.rows("select id from action where action = 'created'")).toEqual([])
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

test('an action keeps its protocol as soon as its import has begun', async () => {
  const [{ action_id }] = Object(Object(await start({ action: 'kept' })).data).start_import
  await expect(
    project.sql(`update action set protocol = '4.0' where id = '${action_id}'`),
  ).rejects.toThrow('people were imported into the action')
})

test('people of an unnamed protocol are not imported into an action of protocol 4.0', async () => {
  await start({ action: 'four' })
  await project.sql(
    "delete from import where action_id in (select id from action where action = 'four'); update action set protocol = '4.0' where action = 'four'",
  )
  const answer = await start({ action: 'four', protocol: 'null' })
  expect(messageOf(answer)).toContain('the action "four" accepts protocol 4.0 here')
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

type Start = {
  app_id?: string
  action_id?: string
  action: string
  source?: string
  people?: number
  uses?: number
  protocol?: string
}

function start({
  app_id = APP,
  action_id,
  action,
  source = 'a.jsonl',
  people = 0,
  uses = 0,
  protocol = '"3.0"',
}: Start) {
  const id = action_id ? `action_id: "${action_id}"` : 'action_id: null'
  return run(`start_import(args: {app_id: "${app_id}", ${id}, action: "${action}", name: "", description: "",
    max_verifications: 1, status: "active", protocol: ${protocol}, source: "${source}", people: ${people}, uses: ${uses}})`)
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

/** Reads the records of the imports of an action: their operation, their actor, and the changes. */
async function trailOf(action: string) {
  const rows = await project.rows(`
    select operation, actor_role, changes from audit
    where subject = 'import' and subject_id = '${action}' order by created_at, id`)
  return rows.map(([operation, actor, changes]) => [operation, actor, JSON.parse(changes ?? '')])
}
