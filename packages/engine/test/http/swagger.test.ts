import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, database } from '../../../../test/support/database.ts'
import { metadata, replace, runSql, table } from '../support/metadata.ts'
import { serveEngineHere } from '../support/serve-here.ts'
import { ADMIN_SECRET, readAnswer, type ServedEngine } from '../support/start-engine.ts'

let db: Database
let engine: ServedEngine

const QUERIES = {
  one: `query ($id: Int!) { note_by_pk(id: $id) { ...Whole mine: owner { name } __typename } }
    fragment Whole on note { id text tags }`,
  find: 'query ($where: note_bool_exp!, $limit: Int = 5, $ids: [uuid!]) { note(where: $where, limit: $limit) { id } }',
  add: 'mutation ($id: Int!, $text: String) { insert_note_one(object: {id: $id, text: $text}) { id } }',
  gone: 'query ($x: no_such_type) { no_such_field(x: $x) { id } }',
}

const endpoint = (name: keyof typeof QUERIES, url: string, methods: string[]) => ({
  name,
  url,
  methods,
  definition: { query: { collection_name: 'saved', query_name: name } },
})

beforeAll(async () => {
  db = await database()
  engine = await serveEngineHere(db.url)
  await engine.post(
    '/v2/query',
    runSql(`create table owner (id uuid primary key, name text);
      create table note (id int primary key, text text, tags text[] not null default '{}', owner_id uuid references owner)`),
  )
  const owner = { name: 'owner', using: { foreign_key_constraint_on: 'owner_id' } }
  const queries = Object.entries(QUERIES).map(([name, query]) => ({ name, query }))
  const tables = [table('owner'), table('note', { object_relationships: [owner] })]
  const saved = {
    query_collections: [{ name: 'saved', definition: { queries } }],
    rest_endpoints: [
      endpoint('one', 'notes/:id', ['GET']),
      endpoint('find', 'notes', ['GET', 'POST']),
      endpoint('add', 'notes/:id', ['PUT']),
      endpoint('gone', 'gone', ['GET']),
    ],
  }
  await engine.post('/v1/metadata', {
    ...replace({ allow_inconsistent_metadata: true, metadata: metadata(tables, saved) }),
    version: 2,
  })
})

afterAll(async () => {
  await engine.stop()
  await db.drop()
})

const fetchDocument = async (
  headers: Record<string, string> = { 'x-hasura-admin-secret': ADMIN_SECRET },
) => readAnswer(await fetch(`${engine.url}/api/swagger/json`, { headers }))

test('/api/swagger/json is valid OpenAPI', async () => {
  const { status, body } = await fetchDocument()
  expect(status).toBe(200)
  const { valid, errors } = await new Validator().validate(structuredClone(Object(body)))
  expect({ valid, errors }).toEqual({ valid: true, errors: undefined })
})

test('the OpenAPI document has every endpoint with all its methods', async () => {
  const { paths } = Object((await fetchDocument()).body)
  const methods = Object.entries(paths).map(([path, item]) => [path, Object.keys(Object(item))])
  expect(Object.fromEntries(methods)).toEqual({
    '/api/rest/notes/{id}': ['get', 'put'],
    '/api/rest/notes': ['get', 'post'],
    '/api/rest/gone': ['get'],
  })
})

test('the OpenAPI document has variables in the path, the query or the body', async () => {
  const { paths } = Object((await fetchDocument()).body)
  expect(paths['/api/rest/notes/{id}'].get.parameters).toMatchObject([
    { name: 'x-hasura-admin-secret', in: 'header' },
    { name: 'id', in: 'path', required: true, schema: { type: 'integer' } },
  ])
  expect(paths['/api/rest/notes'].get.parameters.slice(1)).toMatchObject([
    { name: 'limit', in: 'query', required: false, schema: { type: 'integer', nullable: true } },
  ])
  expect(paths['/api/rest/notes'].post.requestBody).toMatchObject({
    required: true,
    content: {
      'application/json': {
        schema: {
          required: ['where'],
          properties: {
            where: { $ref: '#/components/schemas/note_bool_exp' },
            ids: { type: 'array', items: { type: 'string', format: 'uuid' }, nullable: true },
          },
        },
      },
    },
  })
})

test('the OpenAPI document describes responses by their selections', async () => {
  const { paths } = Object((await fetchDocument()).body)
  const { content } = paths['/api/rest/notes/{id}'].get.responses[200]
  const text = { type: 'string', nullable: true }
  expect(content['application/json'].schema).toEqual({
    type: 'object',
    properties: {
      note_by_pk: {
        type: 'object',
        nullable: true,
        properties: {
          id: { type: 'integer' },
          text,
          tags: { type: 'array', items: { type: 'string' } },
          mine: { type: 'object', nullable: true, properties: { name: text } },
          __typename: { type: 'string' },
        },
      },
    },
  })
})

test('a role other than admin gets no OpenAPI document', async () => {
  const { status, body } = await fetchDocument({
    'x-hasura-admin-secret': ADMIN_SECRET,
    'x-hasura-role': 'user',
  })
  expect([status, Object(body).code]).toEqual([400, 'access-denied'])
})
