import {
  buildClientSchema,
  type GraphQLSchema,
  getIntrospectionQuery,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isObjectType,
} from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { canonicalText } from '../support/hasura/canonical-text.ts'
import { everyQuery, type KnownRows, queriesLeftOut } from '../support/hasura/every-query.ts'
import { firstSubscriptionAnswers } from '../support/hasura/every-subscription.ts'
import { mutationAttempts } from '../support/hasura/mutation-attempts.ts'
import { type Project, serveProject } from '../support/hasura/project.ts'
import {
  makeTeam,
  type Row,
  readTeamRows,
  removeTeam,
  teamRowId,
} from '../support/hasura/team-rows.ts'

// Nobody learns about, or changes, the rows of a team that they are not in: every query answers the same whether the
// other team exists or not, and every mutation leaves the other team's rows as they were. The queries and mutations are
// generated from the schema that each role has, so a new table, column or relation is tested at once.

const user = (n: number) => ({
  'x-hasura-role': 'user',
  'x-hasura-user-id': teamRowId('mine', 'usr', n),
})

/** All callers who must not see the other team. */
const CALLERS: Record<string, Record<string, string>> = {
  'an owner': user(1),
  'an admin': user(2),
  'a member': user(3),
  'a person of no team': { 'x-hasura-role': 'user', 'x-hasura-user-id': 'usr_of_nobody' },
  'a person who is not verified': { ...user(1), 'x-hasura-role': 'unverified_user' },
  'an API key': { 'x-hasura-role': 'api_key', 'x-hasura-team-id': teamRowId('mine', 'team') },
}

/** Callers whose queries also follow two relations; other callers of the same role have the same schema. */
const THOROUGHLY = ['an owner', 'an API key']

/** Roles that see all teams: our own services, and the operator. */
const TRUSTED = ['reviewer', 'service']

const SECRET = /secret|password|private|token_hash|_encrypted/
/** Columns that only a service, only the operator or nobody may write. */
const NOT_THEIRS_TO_WRITE =
  /^(id|is_verified|verified_at|external_nullifier|max_accounts_per_user|nullifier_hash|uses|transaction_status|is_final|failure_reason|expires_at|deleted_at|email_verified_at|created_at|updated_at)$/

let project: Project
let schemas: Map<string, GraphQLSchema>
let mine: KnownRows
let theirs: KnownRows

beforeAll(async () => {
  project = await serveProject()
  await makeTeam(project, 'mine')
  await makeTeam(project, 'theirs')
  mine = await readTeamRows(project, 'mine')
  theirs = await readTeamRows(project, 'theirs')
  const roles = new Set(Object.values(CALLERS).map((session) => session['x-hasura-role'] ?? ''))
  schemas = new Map()
  for (const role of [...roles, ...TRUSTED]) schemas.set(role, await schemaOf(role))
}, 120_000)
afterAll(async () => {
  await project?.stop()
})

test('every role is either tested here or trusted', async () => {
  const { text } = await project.post('/v1/metadata', { type: 'export_metadata', args: {} })
  const roles = [...text.matchAll(/"role":"(\w+)"/g)].map(([, role]) => role)
  expect([...new Set(roles)].toSorted()).toEqual([...schemas.keys()].toSorted())
})

test.each(Object.keys(CALLERS))('every root field that %s has is queried here', (name) => {
  expect(queriesLeftOut(schemaFor(CALLERS[name]?.['x-hasura-role']))).toEqual([])
})

test('every table that somebody can see or change has rows of both teams here', () => {
  const missing = reachableTables().filter(
    (table) => !mine.get(table)?.length || !theirs.get(table)?.length,
  )
  expect(missing, 'add rows in team-rows.ts').toEqual([])
})

describe('the same answers, whether the other team exists or not, for', () => {
  const answers = new Map<string, Answers>()
  let asked: string[]

  beforeAll(async () => {
    for (const name of Object.keys(CALLERS)) answers.set(name, await askAll(name))
    asked = everyQuery(schemaFor('service'), theirs, 1)
    answers.set('service', {
      asked,
      given: await ask(asked, { 'x-hasura-role': 'service' }),
      heard: [],
    })
    await removeTeam(project, 'theirs')
  }, 240_000)
  afterAll(async () => {
    await makeTeam(project, 'theirs')
  })

  test.each(Object.keys(CALLERS))(
    '%s',
    async (name) => {
      const before = answers.get(name)
      const after = await askAll(name)
      expect(before?.given.length).toBe(before?.asked.length)
      const changed = after.asked.filter((_, i) => before?.given[i] !== after.given[i])
      expect(changed).toEqual([])
      expect(after.heard).toEqual(before?.heard)
    },
    60_000,
  )

  test('these queries would show a difference: our own services get other answers', async () => {
    const after = await ask(asked, { 'x-hasura-role': 'service' })
    const before = answers.get('service')?.given
    const changed = asked.filter((_, i) => before?.[i] !== after[i])
    expect(changed.length).toBeGreaterThan(asked.length / 3)
  })

  test('these queries see rows: each table shows its own rows to some caller', async () => {
    const seen = new Set<string>()
    for (const [name, session] of Object.entries(CALLERS))
      for (const table of reachableTables())
        if (schemaFor(session['x-hasura-role']).getQueryType()?.getFields()[table]) {
          const answer = answers.get(name)
          const i = answer?.asked.findIndex((question) => question.startsWith(`${table} {`)) ?? -1
          if (answer?.given[i] !== '[]') seen.add(table)
        }
    const readable = reachableTables().filter((table) =>
      Object.values(CALLERS).some(
        (session) => schemaFor(session['x-hasura-role']).getQueryType()?.getFields()[table],
      ),
    )
    expect([...seen].toSorted()).toEqual(readable.toSorted())
  })
})

describe("the other team's rows stay unchanged and unseen, whatever is tried by", () => {
  test.each(Object.entries(CALLERS))(
    '%s',
    async (_name, session) => {
      await makeTeamAgain()
      const before = await readTeamRows(project, 'theirs')
      const tries = mutationAttempts(schemaFor(session['x-hasura-role']), theirs, mine)
      const ids = await idsOf('theirs')
      // A text that was sent may be the same as one of ours.
      let words = wordsOf(theirs).filter((word) => !wordsOf(mine).includes(word))
      for (const attempt of tries) {
        const { text } = await project.graphql(`mutation { ${attempt} }`, {}, session)
        words = words.filter((word) => !attempt.includes(word))
        const told = [...ids, ...words].filter((word) => text.includes(word))
        expect(told, attempt).toEqual([])
      }
      expect(await readTeamRows(project, 'theirs')).toEqual(before)
    },
    120_000,
  )
})

describe('the schema of', () => {
  const roles = [
    ...new Set(Object.values(CALLERS).map((session) => session['x-hasura-role'] ?? '')),
  ]

  test.each([...roles, 'reviewer'])('%s has no name for a secret', (role) => {
    const names = namesIn(schemaFor(role)).filter((name) => SECRET.test(name))
    // The outputs of actions show a new secret once; this project serves none.
    expect(names).toEqual([])
  })

  test.each(roles)(
    '%s has no column to write that only a service or the operator may write',
    (role) => {
      const types = Object.values(schemaFor(role).getTypeMap()).filter(isInputObjectType)
      const written = types
        .filter(({ name }) => /_(insert|set|inc|append|prepend)_input$/.test(name))
        .flatMap((type) => Object.keys(type.getFields()).map((column) => `${type.name}.${column}`))
      expect(written.filter((name) => NOT_THEIRS_TO_WRITE.test(name.split('.')[1] ?? ''))).toEqual(
        [],
      )
      const moved = written.filter((name) => /_set_input\.\w+_id$/.test(name))
      expect(moved, 'a row stays where it is').toEqual([])
    },
  )

  test('every column that a role may not see is refused wherever a column can be named', async () => {
    for (const [name, session] of Object.entries(CALLERS))
      expect(await acceptedColumns(session), name).toEqual([])
  })
})

type Answers = { asked: string[]; given: string[]; heard: string[] }

async function askAll(name: string): Promise<Answers> {
  const session = CALLERS[name] ?? {}
  const schema = schemaFor(session['x-hasura-role'])
  const near = everyQuery(schema, theirs, 1)
  const far = THOROUGHLY.includes(name) ? everyQuery(schema, theirs, 2) : []
  const asked = [...new Set([...near, ...far])]
  const given = await ask(asked, session)
  return { asked, given, heard: await firstSubscriptionAnswers(project, schema, session) }
}

/** The answers as texts; up to 40 queries go into one request. */
async function ask(asked: readonly string[], session: Record<string, string>): Promise<string[]> {
  const parts = Array.from({ length: Math.ceil(asked.length / 40) }, (_, i) =>
    asked.slice(i * 40, i * 40 + 40),
  )
  return (await Promise.all(parts.map((part) => askSome(part, session)))).flat()
}

async function askSome(asked: readonly string[], session: Record<string, string>) {
  const query = `{ ${asked.map((question, i) => `q${i}: ${question}`).join('\n')} }`
  const { body, text } = await project.graphql(query, {}, session)
  const { data } = Object(body)
  if (!data) throw new Error(text)
  return asked.map((question, i) => canonicalText(data[`q${i}`], question.includes('order_by')))
}

async function schemaOf(role: string): Promise<GraphQLSchema> {
  const { body } = await project.graphql(getIntrospectionQuery(), {}, { 'x-hasura-role': role })
  return buildClientSchema(Object(body).data)
}

function schemaFor(role: string | undefined): GraphQLSchema {
  const schema = schemas.get(role ?? '')
  if (!schema) throw new Error(`No schema of ${role}`)
  return schema
}

/** Tables that a tested caller has a root field for. */
function reachableTables(): string[] {
  const names = new Set([...mine.keys(), ...allTables()])
  const roots = Object.values(CALLERS).flatMap((session) => {
    const schema = schemaFor(session['x-hasura-role'])
    const fields = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]
    return fields.flatMap((type) => Object.keys(type?.getFields() ?? {}))
  })
  return [...names].filter((name) =>
    roots.some(
      (root) =>
        root === name ||
        new RegExp(`^(insert|update|delete)_${name}(_one|_by_pk|_many)?$`).test(root),
    ),
  )
}

function allTables(): string[] {
  return Object.values(CALLERS).flatMap((session) => {
    const fields = schemaFor(session['x-hasura-role']).getQueryType()?.getFields() ?? {}
    return Object.values(fields).flatMap(({ type }) => {
      const named = getNamedType(type)
      return isObjectType(named) && !named.name.endsWith('_aggregate') ? [named.name] : []
    })
  })
}

async function makeTeamAgain() {
  for (const team of ['mine', 'theirs'] as const) {
    await removeTeam(project, team)
    await makeTeam(project, team)
  }
}

async function idsOf(team: 'mine' | 'theirs'): Promise<string[]> {
  const rows = [...(await readTeamRows(project, team)).values()].flat()
  return rows.flatMap(({ id }) => (typeof id === 'string' ? [id] : []))
}

function wordsOf(known: KnownRows): string[] {
  const values = [...known.values()].flat().flatMap((row: Row) => Object.values(row))
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

/** Of all places that a column can be named in, those that accept a column which the role's type lacks. */
async function acceptedColumns(session: Record<string, string>): Promise<string[]> {
  const schema = schemaFor(session['x-hasura-role'])
  const operations = [...theirs].flatMap(([table, [row]]) => {
    const type = schema.getType(table)
    const known = isObjectType(type) ? Object.keys(type.getFields()) : []
    const columns = Object.keys(row ?? {}).filter((name) => !known.includes(name))
    return columns.flatMap((column) => naming(table, column))
  })
  const batch = operations.map((query) => ({ query }))
  const { body } = await project.post('/v1/graphql', batch, session)
  const answers = z.array(z.looseObject({})).length(operations.length).parse(body)
  return operations.filter((_, i) => answers[i]?.data)
}

function naming(table: string, column: string): string[] {
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
