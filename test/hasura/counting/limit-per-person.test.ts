import { expect, test } from 'vitest'
import { APP, project, setTheScene } from '../../support/hasura/own-team-scene.ts'
import { CALLERS } from '../../support/hasura/team-callers.ts'

// The limit of an action decides how often a person may verify, so a wrong value is refused and never changed to another.

setTheScene()

const INSERT = `mutation ($object: action_insert_input!) {
  insert_action_one(object: $object) { max_verifications }
}`

async function insertAction(fields: Record<string, unknown>) {
  const object = { app_id: APP, action: 'limited', ...fields }
  return Object((await project.graphql(INSERT, { object }, CALLERS.owner)).body)
}

test('an action without a limit in the request gets the limit 1', async () => {
  expect(await insertAction({})).toEqual({ data: { insert_action_one: { max_verifications: 1 } } })
})

test.each([0, 1, 2_147_483_647])('the limit %i is stored as it is', async (max_verifications) => {
  expect(await insertAction({ max_verifications })).toEqual({
    data: { insert_action_one: { max_verifications } },
  })
})

test.each([
  [null, 'max_verifications'],
  [-1, 'max_verifications must be 1 or more, or 0 for no limit; got -1'],
  [2_147_483_648, 'max_verifications'],
  [1.5, 'max_verifications'],
  ['', 'invalid input syntax for type integer'],
])('the limit %j is refused with an error that explains it', async (max_verifications, text) => {
  const { data, errors } = await insertAction({ max_verifications })
  expect(data).toBeUndefined()
  expect(JSON.stringify(errors)).toContain(text)
})
