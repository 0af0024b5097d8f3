import { describe, expect } from 'vitest'
import { callAction, type Person, whileDeleting } from '../../support/webhooks/people.ts'
import { test } from '../../support/webhooks/platform-test.ts'
import { owner, platform, setTheScene, stranger } from '../../support/webhooks/team-scene.ts'

setTheScene()

describe('create_team', () => {
  test('waits for an account that is being deleted, and then makes no team', async () => {
    const create = () => callAction(platform, 'create_team', { name: 'Of nobody' }, session(owner))
    expect(await whileDeleting(platform, owner, create)).toMatchObject({
      status: 400,
      body: {
        message: 'Only a logged-in user may do this.',
        extensions: { code: 'unauthenticated' },
      },
    })
    const { rows } = await platform.db.query("select from team where name = 'Of nobody'")
    expect(rows).toEqual([])
  })

  test('makes a team that its maker owns, and nobody else sees', async () => {
    const made = await owner.graphql('mutation { create_team(name: " Second ") { team_id } }')
    const id = made.data.create_team.team_id
    expect(id).toMatch(/^team_[0-9a-f]{32}$/)
    const query = '{ team(where: {id: {_eq: "$ID"}}) { name memberships { role user { id } } } }'
    const answer = await owner.graphql(query.replace('$ID', id))
    expect(answer.data.team).toEqual([
      { name: 'Second', memberships: [{ role: 'OWNER', user: { id: owner.id } }] },
    ])
    expect((await stranger.graphql(query.replace('$ID', id))).data.team).toEqual([])
  })

  test.each(['', '   ', 'x'.repeat(129), 'line\nend'])(
    'refuses the name %j, saying why',
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

test('the longest document that GraphQL accepts runs its action, although Hasura repeats it to the handler', async () => {
  const comment = `#${'x'.repeat(49_900)}\n`
  const made = await owner.graphql(`mutation { ${comment} create_team(name: "Long") { team_id } }`)
  expect(made.data.create_team.team_id).toMatch(/^team_/)
})

function session(of: Person) {
  return { 'x-hasura-role': 'user', 'x-hasura-user-id': of.id }
}
