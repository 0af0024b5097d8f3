import { expect, test } from 'vitest'
import { APP, project, setTheScene, TEAM } from '../support/hasura/own-team-scene.ts'
import { CALLERS } from '../support/hasura/team-callers.ts'

// The fields that each role can read in the rows of its team.

setTheScene()

test('owners and API keys read the audit trail, other members do not', async () => {
  const query = '{ audit(limit: 1) { actor_role operation } }'
  const readFields = async (caller: Record<string, string>) =>
    Object((await project.graphql(query, {}, caller)).body).data?.audit
  for (const caller of [CALLERS.owner, CALLERS.key])
    expect(await readFields(caller)).toEqual([{ actor_role: 'database', operation: 'insert' }])
  for (const caller of [CALLERS.admin, CALLERS.member]) expect(await readFields(caller)).toEqual([])
})

test.each(['owner', 'member', 'key'] as const)(
  'the caller %s reads each payment chain once, without the instances that follow the chain',
  async (caller) => {
    await project.sql(`
      delete from payment_chain where instance <> 'a test';
      insert into payment_chain values
        ('worldchain', 'another', '["DOGE", "WLD"]', 'infinity'), ('gone', 'another', '[]', now()),
        ('base', 'another', '[]', 'infinity')`)
    const query =
      '{ chain(order_by: {name: asc}) { name tokens } __type(name: "chain") { fields { name } } }'
    expect((await project.graphql(query, {}, CALLERS[caller])).body).toEqual({
      data: {
        chain: [
          { name: 'base', tokens: [] },
          { name: 'worldchain', tokens: ['DOGE', 'USDCE', 'WLD'] },
        ],
        __type: { fields: [{ name: 'name' }, { name: 'tokens' }] },
      },
    })
  },
)

test.each(['owner', 'admin', 'member', 'key'] as const)(
  'the caller %s reads the sign-in client without its secret, and the redirect URIs',
  async (caller) => {
    const query =
      '{ sign_in_client { app_id is_public response_types } redirect { app_id } __type(name: "sign_in_client") { fields { name } } }'
    const { data } = Object((await project.graphql(query, {}, CALLERS[caller])).body)
    const response_types = expect.arrayContaining(['code', 'code id_token token'])
    expect(data.sign_in_client).toEqual([{ app_id: APP, is_public: false, response_types }])
    expect(data.redirect).toEqual([{ app_id: APP }])
    expect(data.__type.fields.map(({ name }: { name: string }) => name).toSorted()).toEqual([
      'app',
      'app_id',
      'application_type',
      'created_at',
      'is_public',
      'response_types',
      'updated_at',
    ])
  },
)

test("an API key reads a member's name and address, but not memberships of other teams", async () => {
  const query = `{ user(where: {id: {_eq: "usr_${'0'.repeat(32)}"}}) { name email memberships { team_id role } } }`
  expect((await project.graphql(query, {}, CALLERS.key)).body).toEqual({
    data: {
      user: [
        {
          name: 'In both',
          email: 'both@example.com',
          memberships: [{ team_id: TEAM, role: 'MEMBER' }],
        },
      ],
    },
  })
})
