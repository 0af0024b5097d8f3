import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Actions, asUser, startActions } from '../support/actions.ts'

let actions: Actions

beforeAll(async () => {
  actions = await startActions()
})
afterAll(() => actions?.stop())
beforeEach(() => actions.reset())

describe("rows related to an action's result are joined", () => {
  const query =
    '{ greet_all { text person { id name } visits(order_by: {id: desc}) { id price } visits_aggregate { aggregate { count } } } }'

  test("related rows are filtered by the role's permissions and keep the digits of numbers", async () => {
    const greetings = [1, 2, null].map((person_id) => ({ text: String(person_id), person_id }))
    actions.reply = () => ({ status: 200, body: greetings })
    const answer = await actions.engine.graphql(query, {}, asUser)
    const text = answer.text.replaceAll(/\s/g, '')
    expect(text).toContain(
      '"person":{"id":1,"name":"Ada"},"visits":[{"id":11,"price":123456789012345678.25},{"id":10,"price":1.50}]',
    )
    expect(text).toContain('{"text":"2","person":null,"visits":[]')
    expect(text).toContain('{"text":"null","person":null,"visits":[]')
  })

  test.each([
    ['text', '{ greet_all { text(x: 1) } }'],
    ['person', '{ greet_all { person(limit: 1) { id } } }'],
  ])("the field %s of an action's result rejects unknown arguments", async (field, query) => {
    const answer = await actions.engine.graphql(query, {}, asUser)
    const path = `$.selectionSet.greet_all.selectionSet.${field}`
    expect(answer.body).toMatchObject({
      errors: [{ extensions: { code: 'validation-failed', path } }],
    })
    expect(actions.handler.received).toHaveLength(0)
  })

  test('related rows have only the columns that the role can read', async () => {
    const answer = await actions.engine.graphql('{ greet_all { person { secret } } }', {}, asUser)
    expect(answer.body).toMatchObject({ errors: [{ extensions: { code: 'validation-failed' } }] })
    expect(actions.handler.received).toHaveLength(0)
  })

  test('a result that does not fit the column of its relationship gets data-exception', async () => {
    actions.reply = () => ({ status: 200, body: [{ text: 'x', person_id: 99_999_999_999 }] })
    const answer = await actions.engine.graphql(query, {}, asUser)
    expect(answer.body).toMatchObject({ errors: [{ extensions: { code: 'data-exception' } }] })
  })
})
