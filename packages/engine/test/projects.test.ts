import { globSync, readdirSync, readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Database, database } from '../../../test/support/database.ts'
import { PROJECTS_FOLDER, PUBLIC_PROJECTS } from '../../../trials/acceptance/projects.ts'
import { serveEngineHere } from './support/serve-here.ts'
import type { ServedEngine } from './support/start-engine.ts'

let db: Database
let weather: Database
let engine: ServedEngine | undefined

beforeEach(async () => {
  db = await database()
  weather = await database()
})
afterEach(async () => {
  await engine?.stop()
  await db.drop()
  await weather.drop()
})

/** Serves a project from its folder, with the variables that its author would set. */
async function serve(name: string): Promise<ServedEngine> {
  const newEngine = await serveEngineHere(db.url, {
    HASURA_GRAPHQL_METADATA_DATABASE_URL: db.url,
    PG_DATABASE_URL: db.url,
    AUCTIONS_DATABASE_URL: db.url,
    WEATHER_DATABASE_URL: weather.url,
    ...PUBLIC_PROJECTS[name]?.variables,
    HASURA_GRAPHQL_METADATA_DIR: `${PROJECTS_FOLDER}/${name}/metadata`,
    HASURA_GRAPHQL_MIGRATIONS_DIR: `${PROJECTS_FOLDER}/${name}/migrations`,
  })
  engine = newEngine
  for (const file of globSync(`${PROJECTS_FOLDER}/${name}/seeds/*/*.sql`).sort())
    await (file.includes('/weather/') ? weather : db).query(readFileSync(file, 'utf8'))
  return newEngine
}

test('every project has a query to test', () => {
  expect(readdirSync(PROJECTS_FOLDER).sort()).toEqual(Object.keys(PUBLIC_PROJECTS).sort())
})

describe.each(Object.entries(PUBLIC_PROJECTS))(
  'the project %s is served',
  (name, { role, query, data }) => {
    test('the project is consistent and answers a query of a role', async () => {
      const { post, graphql } = await serve(name)
      const inconsistencies = { type: 'get_inconsistent_metadata', args: {} }
      expect((await post('/v1/metadata', inconsistencies)).body).toEqual({
        is_consistent: true,
        inconsistent_objects: [],
      })
      const session = { 'x-hasura-role': role, 'x-hasura-user-id': 'ada' }
      expect((await graphql(query, {}, session)).body).toEqual({ data })
    })
  },
)

test('a REST endpoint of a saved query uses the naming convention', async () => {
  const { url } = await serve('experiments')
  const answer = await fetch(`${url}/api/rest/runs/done`, {
    headers: { 'x-hasura-admin-secret': 'a-secret-of-the-tests' },
  })
  expect(await answer.json()).toEqual({ runs: [{ runId: 1 }] })
})
