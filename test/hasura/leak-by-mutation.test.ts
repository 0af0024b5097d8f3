import { type GraphQLSchema, isEnumType, isInputObjectType, isObjectType } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { KnownRows } from '../support/hasura/every-query.ts'
import { mutationAttempts } from '../support/hasura/mutation-attempts.ts'
import { makeTeam, type Row, readTeamRows, removeTeam } from '../support/hasura/team-rows.ts'
import { CALLER_ROLES, CALLERS, serveTwoTeams, type TwoTeams } from '../support/hasura/two-teams.ts'

// No caller can change the rows of another team, or use a column that its role cannot read. The mutations are generated from
// the schema of each role.

const SECRET = /secret|password|private|token_hash|_encrypted/
/** Columns that callers cannot write, because only a service, the operator or the database sets them. */
const FIXED_COLUMNS =
  /^(id|is_verified|verified_at|external_nullifier|max_accounts_per_user|nullifier_hash|uses|transaction_status|is_final|failure_reason|expires_at|deleted_at|email_verified_at|created_at|updated_at)$/

let teams: TwoTeams

beforeAll(async () => {
  teams = await serveTwoTeams()
}, 120_000)
afterAll(async () => {
  await teams?.project.stop()
})

describe("mutations neither change nor reveal the other team's rows", () => {
  test.each(Object.entries(CALLERS))(
    "mutations of %s neither change nor reveal the other team's rows",
    async (_name, session) => {
      await makeTeamAgain()
      const earlierRows = await readTeamRows(teams.project, 'theirs')
      const attempts = mutationAttempts(
        teams.schemaFor(session['x-hasura-role']),
        teams.otherRows,
        teams.ownRows,
      )
      const ids = await idsOf('theirs')
      // A response may contain a text that this or an earlier attempt has sent.
      let words = wordsOf(teams.otherRows).filter((word) => !wordsOf(teams.ownRows).includes(word))
      for (const attempt of attempts) {
        const { text } = await teams.project.graphql(`mutation { ${attempt} }`, {}, session)
        words = words.filter((word) => !attempt.includes(word))
        const leakedWords = [...ids, ...words].filter((word) => text.includes(word))
        expect(leakedWords, attempt).toEqual([])
      }
      expect(await readTeamRows(teams.project, 'theirs')).toEqual(earlierRows)
    },
    120_000,
  )
})

describe('the schemas of roles hide secrets and fixed columns', () => {
  test.each([...CALLER_ROLES, 'reviewer'])('the schema of %s has no name for a secret', (role) => {
    const names = namesIn(teams.schemaFor(role)).filter((name) => SECRET.test(name))
    // Some actions return a new secret once, but this test serves the project without actions.
    expect(names).toEqual([])
  })

  test.each(CALLER_ROLES)(
    'the schema of %s has no input for columns that only a service or the operator writes',
    (role) => {
      const types = Object.values(teams.schemaFor(role).getTypeMap()).filter(isInputObjectType)
      const inputFields = types
        .filter(({ name }) => /_(insert|set|inc|append|prepend)_input$/.test(name))
        .flatMap((type) => Object.keys(type.getFields()).map((column) => `${type.name}.${column}`))
      expect(inputFields.filter((name) => FIXED_COLUMNS.test(name.split('.')[1] ?? ''))).toEqual([])
      const idFields = inputFields.filter((name) => /_set_input\.\w+_id$/.test(name))
      expect(idFields, 'no role may move a row to another parent').toEqual([])
    },
  )

  test('a column that a role cannot read is rejected in every part of an operation', async () => {
    for (const [name, session] of Object.entries(CALLERS))
      expect(await findAcceptedOperations(session), name).toEqual([])
  })
})

async function makeTeamAgain() {
  for (const team of ['mine', 'theirs'] as const) {
    await removeTeam(teams.project, team)
    await makeTeam(teams.project, team)
  }
}

async function idsOf(team: 'mine' | 'theirs'): Promise<string[]> {
  const rows = [...(await readTeamRows(teams.project, team)).values()].flat()
  return rows.flatMap(({ id }) => (typeof id === 'string' ? [id] : []))
}

function wordsOf(rows: KnownRows): string[] {
  const values = [...rows.values()].flat().flatMap((row: Row) => Object.values(row))
  return values.flatMap((value) => (typeof value === 'string' && value.length > 6 ? [value] : []))
}

function namesIn(schema: GraphQLSchema): string[] {
  return Object.values(schema.getTypeMap()).flatMap((type) => {
    if (type.name.startsWith('__')) return []
    if (isObjectType(type) || isInputObjectType(type))
      return Object.keys(type.getFields()).map((field) => `${type.name}.${field}`)
    return isEnumType(type) ? type.getValues().map(({ name }) => `${type.name}.${name}`) : []
  })
}

/** Tries each column that the role cannot read in each part of an operation. Returns the operations that succeed. */
async function findAcceptedOperations(session: Record<string, string>): Promise<string[]> {
  const schema = teams.schemaFor(session['x-hasura-role'])
  const operations = [...teams.otherRows].flatMap(([table, [row]]) => {
    const type = schema.getType(table)
    const readableFields = isObjectType(type) ? Object.keys(type.getFields()) : []
    const columns = Object.keys(row ?? {}).filter((name) => !readableFields.includes(name))
    return columns.flatMap((column) => operationsNaming(table, column))
  })
  const batch = operations.map((query) => ({ query }))
  const { body } = await teams.project.post('/v1/graphql', batch, session)
  const answers = z.array(z.looseObject({})).length(operations.length).parse(body)
  return operations.filter((_, i) => answers[i]?.data)
}

function operationsNaming(table: string, column: string): string[] {
  return [
    `{ ${table} { ${column} } }`,
    `{ ${table}(where: {${column}: {_is_null: false}}) { __typename } }`,
    `{ ${table}(order_by: {${column}: asc}) { __typename } }`,
    `{ ${table}(distinct_on: ${column}) { __typename } }`,
    `{ ${table}_aggregate { aggregate { max { ${column} } } } }`,
    `{ ${table}_aggregate { aggregate { count(columns: ${column}) } } }`,
    `mutation { update_${table}(where: {}, _set: {${column}: "x"}) { affected_rows } }`,
    `mutation { insert_${table}(objects: {${column}: "x"}) { affected_rows } }`,
    `mutation { delete_${table}(where: {${column}: {_is_null: true}}) { affected_rows } }`,
  ]
}
