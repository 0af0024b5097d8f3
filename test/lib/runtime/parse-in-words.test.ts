import { expect, test } from 'vitest'
import { z } from 'zod'
import { firstIssue, parseInWords } from '../../../lib/runtime/parse-in-words.ts'
import { noInput } from '../../../lib/runtime/web/read-input.ts'
import { routes } from '../../../webhooks/app.ts'

const Example = z.strictObject({
  text: z.string().min(2).max(3),
  number: z.number().min(3).max(9).optional(),
  count: z.int().multipleOf(2).optional(),
  flag: z.boolean().optional(),
  list: z.array(z.string()).min(1).optional(),
  kind: z.enum(['a', 'b']).optional(),
  one: z.literal('x').optional(),
  time: z.iso.datetime().optional(),
  own: z.string().regex(/^0x/, 'Must be hex.').optional(),
  either: z.union([z.string(), z.number()]).optional(),
})

test.each([
  [{}, 'This attribute is required.'],
  [{ text: null }, 'Must be a text.'],
  [{ text: 'x' }, 'Must have at least 2 characters.'],
  [{ text: 'long' }, 'Must have at most 3 characters.'],
  [{ text: 'ok', number: '3' }, 'Must be a number.'],
  [{ text: 'ok', number: 2 }, 'Must be at least 3.'],
  [{ text: 'ok', number: 10 }, 'Must be at most 9.'],
  [{ text: 'ok', count: 1.5 }, 'Must be a whole number.'],
  [{ text: 'ok', flag: 1 }, 'Must be true or false.'],
  [{ text: 'ok', list: {} }, 'Must be a list.'],
  [{ text: 'ok', list: [] }, 'Must have at least 1 entries.'],
  [{ text: 'ok', kind: 'c' }, 'Must be one of a, b.'],
  [{ text: 'ok', one: 'y' }, 'Must be x.'],
  [{ text: 'ok', time: 'noon' }, 'Must be a time in ISO 8601, such as 2026-01-31T12:00:00Z.'],
  [{ text: 'ok', own: 'xyz' }, 'Must be hex.'],
  [{ text: 'ok', either: true }, 'This attribute is malformed.'],
  [{ text: 'ok', other: true }, 'Must not have other.'],
])('the input %j gets the error "%s"', (value, message) => {
  const { error } = parseInWords(Example, value)
  expect(error && firstIssue(error).message).toBe(message)
})

const VALUES = [undefined, null, 7, -1, 1.5, '', 'x', 'x'.repeat(5_000), true, {}, [], ['x']]

test.each(
  routes.filter(({ input }) => !Object.is(input, noInput)).map((route) => [route.path, route]),
)("the errors of %s are in plain English, not in zod's words", (_path, { input }) => {
  const { oneOf, ...form } = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' })
  const forms = (oneOf ?? [form]).map((each) => Object.entries(each.properties ?? {}))
  for (const fields of forms) {
    expect(fields.length).toBeGreaterThan(0)
    // The constants choose the form, for example the version of a protocol.
    const constants = fields.flatMap(([name, field]) =>
      typeof field === 'object' && field.const !== undefined ? [[name, field.const]] : [],
    )
    for (const [field] of fields)
      for (const value of VALUES) {
        const fault = { ...Object.fromEntries(constants), [field]: value }
        for (const issue of parseInWords(input, fault).error?.issues ?? [])
          expect(issue.message).toMatch(
            /^(This|Must|At least|At most)(?!.*(?:expected|received|Invalid))/,
          )
      }
  }
})
