import { globSync, readdirSync, readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Database, database } from '../support/database.ts'
import { serveEngineHere } from '../support/engine/serve-here.ts'
import type { ServedEngine } from '../support/engine/start-engine.ts'

/** Projects in the layouts and with the features of public ones (engine/docs/public-projects.md). */
const PROJECTS = 'test/engine/projects'

/** What a role asks each project, and what it is answered. */
const QUESTIONS = {
  library: {
    role: 'reader',
    query: '{volume {title loans {volume {title}} loans_aggregate {aggregate {count}}}}',
    data: {
      volume: [
        {
          title: 'A field guide to lichens',
          loans: [{ volume: { title: 'A field guide to lichens' } }],
          loans_aggregate: { aggregate: { count: 1 } },
        },
      ],
    },
  },
  fairs: {
    role: 'guest',
    query: `{shows_find_fairs(args: {words: "kite"}) {title dates is_mine place {latitude}}
      shows_fair_aggregate {aggregate {count}} __type(name: "query_root") {name}}`,
    data: {
      shows_find_fairs: [
        {
          title: 'Kites by the sea',
          dates: '2030-05-01 to 2030-05-03',
          is_mine: true,
          place: { latitude: 54.5 },
        },
      ],
      shows_fair_aggregate: { aggregate: { count: 2 } },
      __type: { name: 'query_root' },
    },
  },
  trails: {
    role: 'warden',
    query: '{trails(order_by: {id: asc}) {name state slug} walker(id: 1) {displayName}}',
    data: {
      trails: [
        { name: 'Long Ridge', state: 'open', slug: 'long-ridge' },
        { name: 'Wet Valley', state: 'closed', slug: null },
      ],
      walker: { displayName: 'Ada' },
    },
  },
  experiments: {
    role: 'anonymous',
    query: '{runs(orderBy: {runId: ASC}) {runStatus steps {stepId took}}}',
    data: {
      runs: [
        { runStatus: 'done', steps: [{ stepId: 1, took: 1.5 }] },
        { runStatus: 'failed', steps: [] },
      ],
    },
  },
  auctions: {
    role: 'anonymous',
    query:
      '{seller_totals(args: {least: 2}) {seller lots} open_lots_aggregate {aggregate {count}}}',
    data: {
      seller_totals: [
        { seller: 'ada', lots: 2 },
        { seller: 'bo', lots: 2 },
      ],
      open_lots_aggregate: { aggregate: { count: 3 } },
    },
  },
}

let db: Database
let engine: ServedEngine | undefined

beforeEach(async () => {
  db = await database()
})
afterEach(async () => {
  await engine?.stop()
  await db.drop()
})

/** Serves a project from nothing but its folder, with the variables that its author would set. */
async function serve(name: string): Promise<ServedEngine> {
  const served = await serveEngineHere(db.url, {
    HASURA_GRAPHQL_METADATA_DATABASE_URL: db.url,
    PG_DATABASE_URL: db.url,
    AUCTIONS_DATABASE_URL: db.url,
    HOOKS: 'http://127.0.0.1:9',
    HOOK_SECRET: 'a secret',
    HASURA_GRAPHQL_EXPERIMENTAL_FEATURES: 'naming_convention',
    HASURA_GRAPHQL_METADATA_DIR: `${PROJECTS}/${name}/metadata`,
    HASURA_GRAPHQL_MIGRATIONS_DIR: `${PROJECTS}/${name}/migrations`,
  })
  engine = served
  for (const file of globSync(`${PROJECTS}/${name}/seeds/*/*.sql`).sort())
    await db.query(readFileSync(file, 'utf8'))
  return served
}

test('each project is asked something', () => {
  expect(readdirSync(PROJECTS).sort()).toEqual(Object.keys(QUESTIONS).sort())
})

describe.each(Object.entries(QUESTIONS))('%s', (name, { role, query, data }) => {
  test('is consistent, and answers a role', async () => {
    const { post, graphql } = await serve(name)
    const inconsistencies = { type: 'get_inconsistent_metadata', args: {} }
    expect((await post('/v1/metadata', inconsistencies)).body).toEqual({
      is_consistent: true,
      inconsistent_objects: [],
    })
    const session = { 'x-hasura-role': role, 'x-hasura-user-id': 'ada' }
    expect((await graphql(query, {}, session)).body).toEqual({ data })
  })
})

test('a REST endpoint of a saved query has the names of the naming convention', async () => {
  const { url } = await serve('experiments')
  const answer = await fetch(`${url}/api/rest/runs/done`, {
    headers: { 'x-hasura-admin-secret': 'a-secret-of-the-tests' },
  })
  expect(await answer.json()).toEqual({ runs: [{ runId: 1 }] })
})
