import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Project, serveProject } from '../support/hasura/project.ts'
import { makeTeam, type Row, readTeamRows, teamRowId } from '../support/hasura/team-rows.ts'

// A caller who may not insert rows for an app gets an error that does not reveal which rows the app has.
// This holds for callers of other teams, who cannot read the rows.

const CALLERS = {
  owner: { 'x-hasura-role': 'user', 'x-hasura-user-id': teamRowId('mine', 'usr', 1) },
  key: { 'x-hasura-role': 'api_key', 'x-hasura-team-id': teamRowId('mine', 'team') },
  member: { 'x-hasura-role': 'user', 'x-hasura-user-id': teamRowId('theirs', 'usr', 3) },
}

const OTHER_TEAM_APP = teamRowId('theirs', 'app', 1)

/** Rows that no app has yet. */
const NEW_ROWS: Record<string, Row> = {
  action: { action: 'new' },
  redirect: { redirect_uri: 'https://new.example/' },
  transaction: {
    reference: 'new',
    chain: 'worldchain',
    transaction_hash: `0x${'e'.repeat(64)}`,
    token: 'USDCE',
    token_amount: '1',
    to: `0x${'e'.repeat(40)}`,
  },
}

let project: Project

beforeAll(async () => {
  project = await serveProject()
  await makeTeam(project, 'mine')
  await makeTeam(project, 'theirs')
})
afterAll(async () => {
  await project?.stop()
})

const inserts = [
  ['owner', 'action', 'action', 'action_app_id_action_key'],
  ['key', 'action', 'action', 'action_app_id_action_key'],
  ['owner', 'redirect', 'redirect_uri', 'redirect_app_id_redirect_uri_key'],
  ['key', 'redirect', 'redirect_uri', 'redirect_app_id_redirect_uri_key'],
  ['member', 'redirect', 'redirect_uri', 'redirect_app_id_redirect_uri_key'],
  ['owner', 'transaction', 'reference', 'transaction_app_id_reference_key'],
  ['member', 'transaction', 'transaction_hash', 'transaction_app_id_reference_key'],
  ['key', 'transaction', 'reference', 'transaction_app_id_reference_key'],
  ['key', 'transaction', 'transaction_hash', 'transaction_app_id_reference_key'],
] as const

test.each(inserts)(
  'as %s, inserting a %s gets the same error whether or not its %s exists',
  async (...insert) => {
    const [caller, table, column, constraint] = insert
    const teamRows = (await readTeamRows(project, 'theirs')).get(table)
    const storedValue = teamRows?.find(({ app_id }) => app_id === OTHER_TEAM_APP)?.[column]
    const rows = [
      { ...NEW_ROWS[table], app_id: OTHER_TEAM_APP, [column]: storedValue },
      { ...NEW_ROWS[table], app_id: OTHER_TEAM_APP },
      { ...NEW_ROWS[table], app_id: 'app_that_nobody_has' },
    ]
    const onConflict = `on_conflict: {constraint: ${constraint}, update_columns: []}`
    for (const conflictClause of ['', onConflict]) {
      const mutation = `mutation ($row: ${table}_insert_input!) {
      insert_${table}(objects: [$row] ${conflictClause}) { affected_rows }
    }`
      const answers = []
      for (const row of rows)
        answers.push((await project.graphql(mutation, { row }, CALLERS[caller])).text)
      expect(answers[0]).toContain('"code":"permission-error"')
      expect(new Set(answers).size).toBe(1)
    }
  },
)
