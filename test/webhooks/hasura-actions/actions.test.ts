import { readFileSync } from 'node:fs'
import { Kind, parse as parseGraphQL } from 'graphql'
import { load } from 'js-yaml'
import { describe, expect } from 'vitest'
import { z } from 'zod'
import { hasuraActions } from '../../../webhooks/hasura-actions/actions.ts'
import { callAction, type Person } from '../../support/webhooks/people.ts'
import { test } from '../../support/webhooks/platform-test.ts'
import { keySession, owner, platform, setTheScene } from '../../support/webhooks/team-scene.ts'

setTheScene()

test('every Hasura action in the metadata has a handler, and every handler has an action', () => {
  const metadata = z
    .object({ actions: z.array(z.object({ name: z.string() })) })
    .parse(load(readFileSync('hasura/metadata/actions.yaml', 'utf8')))
  const names = metadata.actions.map(({ name }) => name)
  expect(Object.keys(hasuraActions).toSorted()).toEqual(names.toSorted())
  const { definitions } = parseGraphQL(readFileSync('hasura/metadata/actions.graphql', 'utf8'))
  const fields = definitions.flatMap((node) =>
    node.kind === Kind.OBJECT_TYPE_DEFINITION && ['Mutation', 'Query'].includes(node.name.value)
      ? (node.fields ?? []).map((field) => field.name.value)
      : [],
  )
  expect(fields.toSorted()).toEqual(names.toSorted())
})

describe("the handler of Hasura's actions checks its caller", () => {
  test.each([
    ['no secret', {}],
    ['a wrong secret', { authorization: 'Bearer guess' }],
  ])('a Hasura action gets 403 for a caller with %s', async (_name, headers) => {
    const reply = await platform.post(
      '/hasura/actions',
      { action: { name: 'create_team' } },
      headers,
    )
    expect(reply).toMatchObject({
      status: 403,
      body: { code: 'permission_denied' },
    })
  })

  test.each(Object.keys(hasuraActions))('the handler rejects %s without a user', async (name) => {
    const admin = { 'x-hasura-role': 'admin' }
    expect(await callAction(platform, name, {}, admin)).toMatchObject({
      status: 400,
      body: {
        message: 'Only a logged-in user may do this.',
        extensions: { code: 'unauthenticated' },
      },
    })
  })

  test('the handler returns not_found for a name that is no action', async () => {
    for (const name of ['nonsense', '__proto__', 'constructor'])
      expect(await callAction(platform, name, {}, session(owner))).toMatchObject({
        status: 400,
        body: { extensions: { code: 'not_found' } },
      })
  })
})

test('an API key can call only the actions that concern a team', async () => {
  const team = await platform.team()
  const headers = { authorization: `Bearer ${team.apiKey}` }
  const query = '{ __schema { queryType { fields { name } } mutationType { fields { name } } } }'
  const { body } = await platform.post('/v1/graphql', { query }, headers)
  const names = [...JSON.stringify(body).matchAll(/"name":"(\w+)"/g)].map(([, name]) => name ?? '')
  expect(names.filter((name) => name in hasuraActions).toSorted()).toEqual([
    'action_stats',
    'check_proof',
    'claim_client',
    'create_request_key',
    'invite_team_members',
    'remove_client_secret',
    'reset_client_secret',
    'rotate_request_key',
    'team_stats',
  ])
})

test.each(
  Object.keys(hasuraActions).filter(
    (name) => !/stats|check_proof|claim_client|invite_team|client_secret|request_key/.test(name),
  ),
)('the handler rejects %s for an API key, even if Hasura lets it through', async (name) => {
  const team = await platform.team()
  const input = {
    name: 'x',
    team_id: team.id,
    id: team.keyId,
    token: 'x',
    password: 'difference',
    email: 'a@example.com',
    current_password: 'difference',
    new_password: 'indifference',
  }
  expect(await callAction(platform, name, input, keySession(team))).toMatchObject({
    status: 400,
    body: {
      message: 'Only a logged-in user may do this.',
      extensions: { code: 'unauthenticated' },
    },
  })
})

function session(person: Person) {
  return { 'x-hasura-role': 'user', 'x-hasura-user-id': person.id }
}
