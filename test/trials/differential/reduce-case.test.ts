import { expect, test } from 'vitest'
import { type Case, reduceCase } from '../../../trials/differential/reduce/reduce-case.ts'

const CASE: Case = {
  world: {
    name: 'a world',
    sql: ['create table a (id int)', 'create table b (id int)', 'insert into a values (1), (2)'],
    metadata: {
      version: 3,
      sources: [{ name: 'default', tables: [{ table: 'a' }, { table: 'b' }] }],
    },
    env: {},
    path: '/v1/graphql',
  },
  request: {
    headers: { 'x-hasura-role': 'one', 'x-hasura-n': '1' },
    body: {
      query: 'query named($v: Int) { a(where: {id: {_eq: $v}}, limit: 3) {id} b {id more: id} }',
      variables: { v: 1, unused: { deep: [1, 2] } },
      operationName: 'named',
    },
  },
}

/** Reports a difference if a caller with a role queries `b {more: id}`, in a world with the table `b`. */
async function differs({ world, request }: Case): Promise<boolean> {
  const text = JSON.stringify(request.body)
  return (
    /\bb\b[^}]*\bmore: id/.test(text) &&
    'x-hasura-role' in request.headers &&
    world.sql.some((statement) => statement.startsWith('create table b')) &&
    JSON.stringify(world.metadata).includes('"table":"b"')
  )
}

test('reduceCase removes everything that the difference between the servers does not need', async () => {
  const { world, request } = await reduceCase(CASE, differs, 1_000)
  expect(world.sql).toEqual(['create table b (id int)'])
  expect(JSON.stringify(world.metadata)).not.toContain('"table":"a"')
  expect(request.headers).toEqual({ 'x-hasura-role': 'one' })
  expect(JSON.stringify(request.body)).not.toMatch(/\ba\b|limit|unused|\$v/)
  expect(await differs({ world, request })).toBe(true)
})

test('reduceCase tries no more cases than its limit', async () => {
  const triedCases: Case[] = []
  await reduceCase(CASE, async (smaller) => triedCases.push(smaller) < 0, 5)
  expect(triedCases).toHaveLength(5)
})
