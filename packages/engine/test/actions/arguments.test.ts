import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Actions, asUser, startActions } from '../support/actions.ts'

let actions: Actions

beforeAll(async () => {
  actions = await startActions()
})
afterAll(() => actions?.stop())
beforeEach(() => actions.reset())

describe('arguments of an action are validated like columns', () => {
  test.each([
    ['a number in quotes', 'price: "1", unit: "g"', { price: '1', unit: 'g' }],
    ['an integer for an ID, which becomes a string', 'key: 5, unit: "g"', { key: '5', unit: 'g' }],
    ['null for a non-null type', 'unit: null', { unit: null }],
  ])('an action accepts %s, as in Hasura', async (_what, args, input) => {
    actions.reply = () => ({ status: 200, body: '"done"' })
    expect((await actions.engine.graphql(`{ weigh(${args}) }`, {}, asUser)).body).toEqual({
      data: { weigh: 'done' },
    })
    expect(actions.handler.received[0]?.body).toMatchObject({ input })
  })

  test.each([
    ['key: 1.5', 'key', "expected a String or a 32-bit integer for type 'ID', but found a float"],
    ['at: 1', 'at', 'parsing UTCTime failed, expected String, but encountered Number'],
    [
      'price: {}',
      'price',
      'parsing Float expected for input type: PGFloat failed, expected Number, but encountered Object',
    ],
    ['unit: [null]', 'unit', 'parsing Text failed, expected String, but encountered Array'],
  ])(
    'an action rejects the argument %s like the value of a column',
    async (args, name, message) => {
      const unit = name === 'unit' ? '' : ', unit: "g"'
      expect(
        (await actions.engine.graphql(`{ weigh(${args}${unit}) }`, {}, asUser)).body,
      ).toMatchObject({
        errors: [{ message, extensions: { path: `$.selectionSet.weigh.args.${name}` } }],
      })
      expect(actions.handler.received).toEqual([])
    },
  )

  test.each([
    ['name: 5', 'name', "expected a string for type 'String', but found an integer"],
    ['name: "a", age: 1.5', 'age', "expected a 32-bit integer for type 'Int', but found a float"],
  ])('an action rejects the input object {%s} like GraphQL', async (members, name, message) => {
    const query = `mutation { greet(who: {${members}}) { text } }`
    expect((await actions.engine.graphql(query, {}, asUser)).body).toMatchObject({
      errors: [{ message, extensions: { path: `$.selectionSet.greet.args.who.${name}` } }],
    })
  })

  test('arguments of an action are validated before the next field', async () => {
    expect(
      (await actions.engine.graphql('{ weigh(at: 1, unit: "g") nothing }')).body,
    ).toMatchObject({
      errors: [{ extensions: { path: '$.selectionSet.weigh.args.at' } }],
    })
  })
})
