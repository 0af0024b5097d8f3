import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Person, peopleOf } from '../../support/webhooks/people.ts'
import { startTestPlatform, type TestPlatform } from '../../support/webhooks/start-platform.ts'

let platform: TestPlatform
let person: ReturnType<typeof peopleOf>
let owner: Person
let key: string

beforeAll(async () => {
  platform = await startTestPlatform({}, (baseUrl) => ({
    WEBHOOKS_URL: baseUrl,
  }))
  person = peopleOf(platform)
})
afterAll(() => platform.stop())
beforeEach(async () => {
  owner = await person()
  key = await keyOf(owner, owner.team)
})

describe('an API key invites people to its team', () => {
  test('an API key invites people to its team, and the audit trail names the key', async () => {
    expect(await inviteByKey(key, owner.team, ['Guest@example.com '])).toEqual({
      data: { invite_team_members: { emails: ['guest@example.com'] } },
    })
    const { data } = await owner.graphql(
      '{ audit(where: {subject: {_eq: "invite"}}) { team_id actor_role actor_id } api_key { id } }',
    )
    const [{ id }] = data.api_key
    expect(data.audit).toEqual([{ team_id: owner.team, actor_role: 'api_key', actor_id: id }])
  })

  test('an invite of an existing member by an API key is ignored without an error', async () => {
    expect(await inviteByKey(key, owner.team, [owner.email])).toEqual({
      data: { invite_team_members: { emails: [] } },
    })
  })

  test('an API key cannot invite people to another team or to a missing team', async () => {
    const stranger = await person()
    for (const team of [stranger.team, 'team_none']) {
      const answer = await inviteByKey(key, team, ['guest@example.com'])
      expect(Object(answer).errors[0].extensions.code).toBe('permission_denied')
    }
    const { rows } = await platform.db.query('select from invite where team_id = $1', [
      stranger.team,
    ])
    expect(rows).toEqual([])
  })

  test('API keys share the daily limit of invites with the owner, over all teams', async () => {
    const creation = await owner.graphql('mutation { create_team(name: "Another") { team_id } }')
    const second = creation.data.create_team.team_id
    const otherKey = await keyOf(owner, second)
    for (let round = 0; round < 5; round++) await inviteByKey(key, owner.team, twenty(round))
    expect(await inviteByKey(otherKey, second, twenty(5))).toEqual({
      data: { invite_team_members: { emails: [] } },
    })
    const query =
      'mutation ($team: String!) { invite_team_members(team_id: $team, emails: ["x@example.com"]) { emails } }'
    expect(await owner.graphql(query, { team: second })).toEqual({
      data: { invite_team_members: { emails: [] } },
    })
  })

  test('invites by an API key count against the quota of open invites', async () => {
    await platform.db.query("update quota set most = 1 where kind = 'invite'")
    const answer = await inviteByKey(key, owner.team, ['a@example.com', 'b@example.com'])
    await platform.db.query("update quota set most = 200 where kind = 'invite'")
    expect(Object(answer).errors[0].extensions.code).toBe('quota_exceeded')
  })
})

function twenty(round: number): string[] {
  return Array.from({ length: 20 }, (_, i) => `${round}-${i}@example.com`)
}

async function keyOf({ graphql }: Person, team: string): Promise<string> {
  const query =
    'mutation ($team: String!) { create_api_key(team_id: $team, name: "Key") { api_key } }'
  return (await graphql(query, { team })).data.create_api_key.api_key
}

async function inviteByKey(key: string, team: string, emails: readonly string[]): Promise<unknown> {
  const query =
    'mutation ($team: String!, $emails: [String!]!) { invite_team_members(team_id: $team, emails: $emails) { emails } }'
  const headers = { authorization: `Bearer ${key}` }
  const variables = { team, emails }
  return (await platform.post('/v1/graphql', { query, variables }, headers)).body
}
