import { expect, test } from 'vitest'
import { Digits, parseExactJson } from '../../../lib/runtime/exact-json.ts'

test.each([
  '12345678901234567890',
  '0.1000000000000000055511151231257827',
  '[{"a":1.0000000000000000}]',
  '1e400',
  '-9223372036854775808',
])('JSON.stringify keeps the digits of %s', (text) => {
  expect(JSON.stringify(parseExactJson(text))).toBe(text)
})

test.each([
  ['1.50', 1.5],
  ['1e5', 100_000],
  ['123456789012345', 123456789012345],
])('parseExactJson returns %s as a number', (text, value) => {
  expect(parseExactJson(text)).toBe(value)
})

test('an object with the members of Digits stays an object', () => {
  expect(parseExactJson('{"text":"1"}')).not.toBeInstanceOf(Digits)
})

test.each([
  ['{"a":1,"a":2}', { a: 1 }],
  ['{"a" : 1, "\\u0061"\t: 2}', { a: 1 }],
  ['[{"a":{"b":1,"c":[{"d":1,"d":2}]}}]', [{ a: { b: 1, c: [{ d: 1 }] } }]],
  ['{"a":null,"a":1}', { a: null }],
  ['{"a":"\\"b\\": c"}', { a: '"b": c' }],
])('the first of two equal keys wins in %s', (text, value) => {
  expect(parseExactJson(text)).toEqual(value)
})

test('__proto__ is a normal key, also next to a duplicate key', () => {
  const parsed = parseExactJson('{"__proto__":{"x":1},"a":1,"a":2}')
  expect(Object.keys(Object(parsed))).toEqual(['__proto__', 'a'])
  expect(Object(parsed).x).toBeUndefined()
})

test('numbers keep their digits next to a duplicate key', () => {
  expect(JSON.stringify(parseExactJson('{"a":12345678901234567890,"a":1,"b":1.5}'))).toBe(
    '{"a":12345678901234567890,"b":1.5}',
  )
})

test('extremely deep JSON is parsed, or rejected with a SyntaxError', () => {
  const deep = (text: string, depth: number) => '['.repeat(depth) + text + ']'.repeat(depth)
  expect(parseExactJson(deep('{"a":1}', 50_000))).toHaveLength(1)
  expect(() => parseExactJson(deep('{"a":1,"a":2}', 50_000))).toThrow(SyntaxError)
})
