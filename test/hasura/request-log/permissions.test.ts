import { expect, test } from 'vitest'
import { APP, project, setTheScene } from '../../support/hasura/own-team-scene.ts'
import { CALLERS } from '../../support/hasura/team-callers.ts'

// The readers of the request log. The leak tests cover the rows of other teams.

setTheScene()

const { owner, admin, member, key, reviewer } = CALLERS

test.each(Object.entries({ owner, admin, member, key }))(
  'the caller %s reads the request log of the team, alone and with its app',
  async (_name, caller) => {
    const { body } = await project.graphql(
      '{ refused_request { code } app(order_by: {id: asc}) { refused_requests { code } } }',
      {},
      caller,
    )
    const rows = [{ code: 'code_mine' }]
    expect(body).toEqual({
      data: {
        refused_request: rows,
        app: [{ refused_requests: rows }, { refused_requests: [] }],
      },
    })
  },
)

test('the role reviewer does not see the request log', async () => {
  const { body } = await project.graphql('{ refused_request { code } }', {}, reviewer)
  expect(body).toMatchObject({ errors: [{ extensions: { code: 'validation-failed' } }] })
})

test.each(['insert', 'update', 'delete'])(
  'no caller can %s rows of the request log',
  async (verb) => {
    for (const caller of [owner, admin, member, key, reviewer]) {
      const { body } = await project.graphql(
        '{ __schema { mutationType { fields { name } } } }',
        {},
        caller,
      )
      const names = Object(body).data.__schema.mutationType.fields.map(
        (field: { name: string }) => field.name,
      )
      expect(names).not.toContain(`${verb}_refused_request`)
      expect(names).not.toContain('record_refused_requests')
    }
  },
)

test('a query returns at most 100 rows of the request log', async () => {
  await project.sql(`
    insert into refused_request (app_id, endpoint, code, detail, request_id)
    select '${APP}', '/token', 'invalid_grant', 'The code is wrong.', n
    from generate_series(1, 150) n`)
  const { body } = await project.graphql('{ refused_request(limit: 1000) { id } }', {}, member)
  expect(Object(body).data.refused_request).toHaveLength(100)
})
