import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, database } from '../../../../test/support/database.ts'
import { metadata, replace, table } from '../support/metadata.ts'
import { serveEngineHere } from '../support/serve-here.ts'
import type { ServedEngine } from '../support/start-engine.ts'

let db: Database
let engine: ServedEngine
let replacement: unknown

const FEATURES = [
  'disable_postgres_arrays',
  'hide_aggregation_predicates',
  'hide_stream_fields',
  'hide_update_many_fields',
]

/** Two of the tables have the names of root fields of the table `song`. */
beforeAll(async () => {
  db = await database()
  await db.query(`
    create table song (id int primary key, tags text[] not null, bars int[], loud bool[]);
    create table update_song_many (id int primary key);
    create table song_stream (id int primary key, song_id int references song);
    insert into song values (1, '{rock,pop}', '{4,8}', null)`)
  engine = await serveEngineHere(db.url, {
    HASURA_GRAPHQL_EXPERIMENTAL_FEATURES: `inherited_roles, ${FEATURES.join()}`,
  })
  const streams = {
    array_relationships: [
      {
        name: 'streams',
        using: { foreign_key_constraint_on: { table: 'song_stream', column: 'song_id' } },
      },
    ],
  }
  const tables = [table('song', streams), table('update_song_many'), table('song_stream')]
  replacement = (await engine.post('/v1/metadata', replace(metadata(tables)))).body
})
afterAll(async () => {
  await engine.stop()
  await db.drop()
})

const fieldsOf = async (type: string, fields = 'fields') => {
  const { body } = await engine.graphql(`{ __type(name: "${type}") { all: ${fields} { name } } }`)
  return Object(body).data.__type.all.map(({ name }: { name: string }) => name)
}

test('a table can have the name of a root field that a feature hides', async () => {
  expect(replacement).toEqual({ message: 'success' })
  expect((await engine.graphql('{ song_stream { id } update_song_many { id } }')).body).toEqual({
    data: { song_stream: [], update_song_many: [] },
  })
  expect(await fieldsOf('mutation_root')).not.toContain('update_song_many')
  expect(await fieldsOf('subscription_root')).not.toContain('song_stream_stream')
})

test('the feature hide_aggregation_predicates removes aggregate conditions', async () => {
  expect(await fieldsOf('song_bool_exp', 'inputFields')).not.toContain('streams_aggregate')
})

test('the feature disable_postgres_arrays turns arrays into scalars', async () => {
  const query = `query ($tags: _text) {
    song(where: {tags: {_contains: $tags}}) { tags bars }
    __type(name: "song") { fields { type { name ofType { name } } } }
  }`
  const nullableType = (name: string) => ({ type: { name, ofType: null } })
  const nonNullType = (name: string) => ({ type: { name: null, ofType: { name } } })
  for (const tags of [['pop'], '{pop}'])
    expect((await engine.graphql(query, { tags })).body).toMatchObject({
      data: {
        song: [{ tags: ['rock', 'pop'], bars: [4, 8] }],
        __type: {
          fields: expect.arrayContaining([
            nonNullType('_text'),
            nullableType('_integer'),
            nullableType('_boolean'),
            nonNullType('Int'),
          ]),
        },
      },
    })
})

test('an unknown experimental feature is rejected', async () => {
  const settings = { HASURA_GRAPHQL_EXPERIMENTAL_FEATURES: 'time_travel' }
  await expect(serveEngineHere(db.url, settings)).rejects.toThrow(/EXPERIMENTAL_FEATURES/)
})
