import { expect, test } from 'vitest'
import { Digits, parseExactJson } from '../../lib/exact-json.ts'

test.each([
  '12345678901234567890',
  '0.1000000000000000055511151231257827',
  '[{"a":1.0000000000000000}]',
  '1e400',
  '-9223372036854775808',
])('%s is written with the digits that were read', (text) => {
  expect(JSON.stringify(parseExactJson(text))).toBe(text)
})

test.each([
  ['1.50', 1.5],
  ['1e5', 100_000],
  ['123456789012345', 123456789012345],
])('%s is a plain number, which holds it exactly', (text, value) => {
  expect(parseExactJson(text)).toBe(value)
})

test('an object in the form of a number with digits stays an object', () => {
  expect(parseExactJson('{"text":"1"}')).not.toBeInstanceOf(Digits)
})
