import { getNamedType, isObjectType } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { canonicalText } from '../support/hasura/canonical-text.ts'
import { everyQuery, queriesLeftOut } from '../support/hasura/every-query.ts'
import { firstSubscriptionAnswers } from '../support/hasura/every-subscription.ts'
import { makeTeam, removeTeam } from '../support/hasura/team-rows.ts'
import { CALLERS, serveTwoTeams, type TwoTeams } from '../support/hasura/two-teams.ts'

// No caller learns about the rows of another team: every query returns the same whether the other team exists
// or not. The queries are generated from the schema of each role, so a new table, column or relationship is tested
// automatically.

/** The callers that send queries with up to two relationships. Other callers of the same role would send the same queries. */
const THOROUGH_CALLERS = ['an owner', 'an API key']

/** Tables with rows that belong to no team and are the same for every caller. */
const SHARED = ['chain']

let teams: TwoTeams

beforeAll(async () => {
  teams = await serveTwoTeams()
  await teams.project.sql(
    "insert into payment_chain values ('worldchain', 'a test', '[\"USDCE\", \"WLD\"]', 'infinity')",
  )
}, 120_000)
afterAll(async () => {
  await teams?.project.stop()
})

test('every role is either tested or trusted', async () => {
  const { text } = await teams.project.post('/v1/metadata', { type: 'export_metadata', args: {} })
  const roles = [...text.matchAll(/"role":"(\w+)"/g)].map(([, role]) => role)
  expect([...new Set(roles)].toSorted()).toEqual([...teams.schemas.keys()].toSorted())
})

test.each(Object.keys(CALLERS))('every root field of %s is queried', (name) => {
  expect(queriesLeftOut(teams.schemaFor(CALLERS[name]?.['x-hasura-role']))).toEqual([])
})

test('every table that a caller can read or change has rows of both teams', () => {
  const missing = reachableTables().filter(
    (table) =>
      !SHARED.includes(table) &&
      (!teams.ownRows.get(table)?.length || !teams.otherRows.get(table)?.length),
  )
  expect(missing, 'add rows in team-rows.ts').toEqual([])
})

describe('queries return the same whether the other team exists or not', () => {
  const answers = new Map<string, Answers>()
  let queries: string[]

  beforeAll(async () => {
    for (const name of Object.keys(CALLERS)) answers.set(name, await askAll(name))
    queries = everyQuery(teams.schemaFor('service'), teams.otherRows, 1)
    answers.set('service', {
      queries,
      answers: await ask(queries, { 'x-hasura-role': 'service' }),
      subscriptionAnswers: [],
    })
    await removeTeam(teams.project, 'theirs')
  }, 240_000)
  afterAll(async () => {
    await makeTeam(teams.project, 'theirs')
  })

  test.each(Object.keys(CALLERS))(
    'queries of %s return the same whether the other team exists or not',
    async (name) => {
      const earlierAnswers = answers.get(name)
      const laterAnswers = await askAll(name)
      expect(earlierAnswers?.answers.length).toBe(earlierAnswers?.queries.length)
      const differences = laterAnswers.queries.filter(
        (_, i) => earlierAnswers?.answers[i] !== laterAnswers.answers[i],
      )
      expect(differences).toEqual([])
      expect(laterAnswers.subscriptionAnswers).toEqual(earlierAnswers?.subscriptionAnswers)
    },
    60_000,
  )

  test('the queries would detect a leak: for the role service, more than a third of the responses change', async () => {
    const laterAnswers = await ask(queries, { 'x-hasura-role': 'service' })
    const earlierAnswers = answers.get('service')?.answers
    const differences = queries.filter((_, i) => earlierAnswers?.[i] !== laterAnswers[i])
    expect(differences.length).toBeGreaterThan(queries.length / 3)
  })

  test('for each table, the queries return rows to at least one caller', async () => {
    const tablesWithRows = new Set<string>()
    for (const [name, session] of Object.entries(CALLERS))
      for (const table of reachableTables())
        if (teams.schemaFor(session['x-hasura-role']).getQueryType()?.getFields()[table]) {
          const answer = answers.get(name)
          const i = answer?.queries.findIndex((question) => question.startsWith(`${table} {`)) ?? -1
          if (answer?.answers[i] !== '[]') tablesWithRows.add(table)
        }
    const readable = reachableTables().filter((table) =>
      Object.values(CALLERS).some(
        (session) => teams.schemaFor(session['x-hasura-role']).getQueryType()?.getFields()[table],
      ),
    )
    expect([...tablesWithRows].toSorted()).toEqual(readable.toSorted())
  })
})

type Answers = { queries: string[]; answers: string[]; subscriptionAnswers: string[] }

async function askAll(name: string): Promise<Answers> {
  const session = CALLERS[name] ?? {}
  const schema = teams.schemaFor(session['x-hasura-role'])
  const directQueries = everyQuery(schema, teams.otherRows, 1)
  const deeperQueries = THOROUGH_CALLERS.includes(name)
    ? everyQuery(schema, teams.otherRows, 2)
    : []
  const queries = [...new Set([...directQueries, ...deeperQueries])]
  const answers = await ask(queries, session)
  return {
    queries,
    answers,
    subscriptionAnswers: await firstSubscriptionAnswers(teams.project, schema, session),
  }
}

/** Sends up to 40 queries in a request. @returns the responses as texts */
async function ask(queries: readonly string[], session: Record<string, string>): Promise<string[]> {
  const parts = Array.from({ length: Math.ceil(queries.length / 40) }, (_, i) =>
    queries.slice(i * 40, i * 40 + 40),
  )
  return (await Promise.all(parts.map((part) => askSome(part, session)))).flat()
}

async function askSome(queries: readonly string[], session: Record<string, string>) {
  const query = `{ ${queries.map((question, i) => `q${i}: ${question}`).join('\n')} }`
  const { body, text } = await teams.project.graphql(query, {}, session)
  const { data } = Object(body)
  if (!data) throw new Error(text)
  return queries.map((question, i) => canonicalText(data[`q${i}`], question.includes('order_by')))
}

/** Returns the tables for which a tested caller has a root field. */
function reachableTables(): string[] {
  const names = new Set([...teams.ownRows.keys(), ...allTables()])
  const roots = Object.values(CALLERS).flatMap((session) => {
    const schema = teams.schemaFor(session['x-hasura-role'])
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
    const fields = teams.schemaFor(session['x-hasura-role']).getQueryType()?.getFields() ?? {}
    return Object.values(fields).flatMap(({ type }) => {
      const namedType = getNamedType(type)
      return isObjectType(namedType) && !namedType.name.endsWith('_aggregate')
        ? [namedType.name]
        : []
    })
  })
}
