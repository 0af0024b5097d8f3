import { describe, expect } from 'vitest'
import { callAction, type Person, whileDeleting } from '../../support/webhooks/people.ts'
import { test } from '../../support/webhooks/platform-test.ts'
import { owner, platform, setTheScene, stranger } from '../../support/webhooks/team-scene.ts'

setTheScene()

describe('create_team creates a team for its caller', () => {
  test("create_team waits for a deletion of the caller's account, and then creates no team", async () => {
    const create = () =>
      callAction(platform, 'create_team', { name: 'Without an owner' }, session(owner))
    expect(await whileDeleting(platform, owner, create, 'create_team')).toMatchObject({
      status: 400,
      body: {
        message: 'Only a logged-in user may do this.',
        extensions: { code: 'unauthenticated' },
      },
    })
    const { rows } = await platform.db.query("select from team where name = 'Without an owner'")
    expect(rows).toEqual([])
  })

  test('create_team creates a team that only its owner sees', async () => {
    const creation = await owner.graphql('mutation { create_team(name: " Second ") { team_id } }')
    const id = creation.data.create_team.team_id
    expect(id).toMatch(/^team_[0-9a-f]{32}$/)
    const query = '{ team(where: {id: {_eq: "$ID"}}) { name memberships { role user { id } } } }'
    const answer = await owner.graphql(query.replace('$ID', id))
    expect(answer.data.team).toEqual([
      { name: 'Second', memberships: [{ role: 'OWNER', user: { id: owner.id } }] },
    ])
    expect((await stranger.graphql(query.replace('$ID', id))).data.team).toEqual([])
  })

  test.each(['', '   ', 'x'.repeat(129), 'line\nend'])(
    'create_team rejects the name %j with a reason',
    async (name) => {
      const query = 'mutation ($name: String!) { create_team(name: $name) { team_id } }'
      expect((await owner.graphql(query, { name })).errors).toEqual([
        {
          message: expect.stringMatching(/^name: Must be 1 to 128 characters/),
          extensions: { code: 'validation_error' },
        },
      ])
    },
  )
})

test('a GraphQL document of 49,900 characters runs its action, although Hasura repeats the document in its request to the handler', async () => {
  const comment = `#${'x'.repeat(49_900)}\n`
  const creation = await owner.graphql(
    `mutation { ${comment} create_team(name: "Long") { team_id } }`,
  )
  expect(creation.data.create_team.team_id).toMatch(/^team_/)
})

function session(person: Person) {
  return { 'x-hasura-role': 'user', 'x-hasura-user-id': person.id }
}
