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
import { attempts } from '../support/hasura/attempts.ts'
import { listen } from '../support/hasura/listen.ts'
import { printed } from '../support/hasura/printed.ts'
import { type Project, serveProject } from '../support/hasura/project.ts'
import { type Known, questions, unasked } from '../support/hasura/questions.ts'
import { idOf, makeTeam, type Row, removeTeam, rowsOf } from '../support/hasura/two-teams.ts'

// One team's rows mean nothing to another: whatever somebody asks has the same answer whether the other
// team exists or not, and whatever they try leaves its rows as they were. Questions and attempts are made
// from the schema that each role has, so a new table, column or relation is part of them at once.

const user = (n: number) => ({
  'x-hasura-role': 'user',
  'x-hasura-user-id': idOf('mine', 'usr', n),
})

/** All callers who must not see the other team. */
const CALLERS: Record<string, Record<string, string>> = {
  'an owner': user(1),
  'an admin': user(2),
  'a member': user(3),
  'a person of no team': { 'x-hasura-role': 'user', 'x-hasura-user-id': 'usr_of_nobody' },
  'a person who is not verified': { ...user(1), 'x-hasura-role': 'unverified_user' },
  'an API key': { 'x-hasura-role': 'api_key', 'x-hasura-team-id': idOf('mine', 'team') },
}

/** Who is asked for what is two relations away too; others of the same role say the same. */
const THOROUGHLY = ['an owner', 'an API key']

/** Roles that see all teams: our own services, and the operator. */
const TRUSTED = ['reviewer', 'service']

const SECRET = /secret|password|private|token_hash|_encrypted/
/** Columns that a service or the operator decides on, or nobody. */
const NOT_THEIRS_TO_WRITE =
  /^(id|is_verified|verified_at|external_nullifier|max_accounts_per_user|nullifier_hash|uses|transaction_status|is_final|failure_reason|expires_at|deleted_at|email_verified_at|created_at|updated_at)$/

let project: Project
let schemas: Map<string, GraphQLSchema>
let mine: Known
let theirs: Known

beforeAll(async () => {
  project = await serveProject()
  await makeTeam(project, 'mine')
  await makeTeam(project, 'theirs')
  mine = await rowsOf(project, 'mine')
  theirs = await rowsOf(project, 'theirs')
  const roles = new Set(Object.values(CALLERS).map((session) => session['x-hasura-role'] ?? ''))
  schemas = new Map()
  for (const role of [...roles, ...TRUSTED]) schemas.set(role, await schemaOf(role))
}, 120_000)
afterAll(async () => {
  await project?.stop()
})

test('every role is either held apart here or trusted', async () => {
  const { text } = await project.post('/v1/metadata', { type: 'export_metadata', args: {} })
  const roles = [...text.matchAll(/"role":"(\w+)"/g)].map(([, role]) => role)
  expect([...new Set(roles)].toSorted()).toEqual([...schemas.keys()].toSorted())
})

test.each(Object.keys(CALLERS))('every root field that %s has can be asked here', (name) => {
  expect(unasked(schemaFor(CALLERS[name]?.['x-hasura-role']))).toEqual([])
})

test('every table that somebody can see or change has rows of both teams here', () => {
  const missing = reachableTables().filter(
    (table) => !mine.get(table)?.length || !theirs.get(table)?.length,
  )
  expect(missing, 'add rows in two-teams.ts').toEqual([])
})

describe('no other answer, whether the other team exists or not, for', () => {
  const answers = new Map<string, Answers>()
  let asked: string[]

  beforeAll(async () => {
    for (const name of Object.keys(CALLERS)) answers.set(name, await askAll(name))
    asked = questions(schemaFor('service'), theirs, 1)
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

  test('and these questions would tell: our own services get other answers', async () => {
    const after = await ask(asked, { 'x-hasura-role': 'service' })
    const before = answers.get('service')?.given
    const changed = asked.filter((_, i) => before?.[i] !== after[i])
    expect(changed.length).toBeGreaterThan(asked.length / 3)
  })

  test('and these questions see something: each table shows its own rows to somebody', async () => {
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

describe("the other team's rows stay as they were, and unseen, whatever is tried by", () => {
  test.each(Object.entries(CALLERS))(
    '%s',
    async (_name, session) => {
      await makeTeamAgain()
      const before = await rowsOf(project, 'theirs')
      const tries = attempts(schemaFor(session['x-hasura-role']), theirs, mine)
      const ids = await idsOf('theirs')
      // A text that was sent may be the same as one of ours.
      let words = wordsOf(theirs).filter((word) => !wordsOf(mine).includes(word))
      for (const attempt of tries) {
        const { text } = await project.graphql(`mutation { ${attempt} }`, {}, session)
        words = words.filter((word) => !attempt.includes(word))
        const told = [...ids, ...words].filter((word) => text.includes(word))
        expect(told, attempt).toEqual([])
      }
      expect(await rowsOf(project, 'theirs')).toEqual(before)
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

  test.each(roles)('%s lets nobody write what is not theirs to write', (role) => {
    const types = Object.values(schemaFor(role).getTypeMap()).filter(isInputObjectType)
    const written = types
      .filter(({ name }) => /_(insert|set|inc|append|prepend)_input$/.test(name))
      .flatMap((type) => Object.keys(type.getFields()).map((column) => `${type.name}.${column}`))
    expect(written.filter((name) => NOT_THEIRS_TO_WRITE.test(name.split('.')[1] ?? ''))).toEqual([])
    const moved = written.filter((name) => /_set_input\.\w+_id$/.test(name))
    expect(moved, 'a row stays where it is').toEqual([])
  })

  test('every column that a role has no name for is refused in each place', async () => {
    for (const [name, session] of Object.entries(CALLERS))
      expect(await acceptedColumns(session), name).toEqual([])
  })
})

type Answers = { asked: string[]; given: string[]; heard: string[] }

async function askAll(name: string): Promise<Answers> {
  const session = CALLERS[name] ?? {}
  const schema = schemaFor(session['x-hasura-role'])
  const near = questions(schema, theirs, 1)
  const far = THOROUGHLY.includes(name) ? questions(schema, theirs, 2) : []
  const asked = [...new Set([...near, ...far])]
  const given = await ask(asked, session)
  return { asked, given, heard: await listen(project, schema, session) }
}

/** The answers as texts; many questions go in one request. */
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
  return asked.map((question, i) => printed(data[`q${i}`], question.includes('order_by')))
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

/** Tables with a root field for somebody who is held apart. */
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
  const rows = [...(await rowsOf(project, team)).values()].flat()
  return rows.flatMap(({ id }) => (typeof id === 'string' ? [id] : []))
}

function wordsOf(known: Known): string[] {
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

/** Tries each column of the database that the role's type lacks, everywhere that a column can be named. */
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
