import { describe, expect, test } from 'vitest'
import { parseExactJson } from '../../../../lib/runtime/exact-json.ts'
import { textTemplate } from '../../outgoing/transform/kriti/template.ts'
import { evaluateTemplate, failureOf } from '../support/transform/templates.ts'

const SCOPE = {
  $body: parseExactJson(
    '{"name": "Ada", "none": null, "ids": [4, 5], "big": 12345678901234567890, "exact": 1.50, "o": {"z": 0.001, "a": ["x"]}}',
  ),
  $session_variables: { 'x-hasura-user-id': '42' },
}

describe('a question mark turns a missing value into null', () => {
  test.each([
    ['an unbound name', '$nobody?'],
    ['an absent member', '$body?.nope'],
    ['the steps after an absent member', `$body?.nope.deeper['still'][0]`],
    ['the steps after null', '$body?.none.x'],
    ['an index after the last', '$body.ids?[2]'],
    ['a name in a list', '$body.ids?.x'],
    ['an index in an object', '$body?[0]'],
    ['a member of an absent member', '$body.nope?.x'],
    ['a step into a string', '$body?.name.x'],
  ])('a question mark returns null for %s', (_what, template) => {
    expect(evaluateTemplate(template, SCOPE)).toBeNull()
  })

  test('a question mark does not change other values and errors', () => {
    expect(evaluateTemplate('$body?.ids[1]', SCOPE)).toBe(5)
    expect(evaluateTemplate('$body?', { $body: { a: 1 } })).toEqual({ a: 1 })
    expect(failureOf('$body.name?.x', SCOPE).report.message).toBe(
      "Couldn't match expected type 'Object' with actual type 'String'",
    )
  })
})

describe('operators of Kriti compare values', () => {
  test.each([
    ['?? replaces null', '[$body.none ?? 1, $body.name ?? 1]', [1, 'Ada']],
    ['== compares whole values', '{"a": [1, {"b": 2}]} == {"a": [1.0, {"b": 2}]}', true],
    ['!= negates ==', '1 != "1"', true],
    ['== keeps all digits of numbers', '$body.big == 12345678901234567891', false],
    ['== ignores the notation of numbers', '$body.exact == 15e-1', true],
    ['< orders numbers', '[2 < 10, -2.5 < -2, 1e30 > 12345678901234567890]', [true, true, true]],
    ['< orders strings by code point', '"\uffee" < "🚲"', true],
    [
      '< orders lists and objects',
      '[[1, 2] < [1, 3], {"a": 1} < {"a": 2}, [1] < [1, 0]]',
      [true, true, true],
    ],
    [
      '< orders types',
      '[{} < [], [] < "", "" < 0, 0 < false, false < true, true < null]',
      Array(6).fill(true),
    ],
    ['>= and <= include equality', '[1 >= 1, 1 <= 1, "b" >= "a"]', [true, true, true]],
    [
      'in finds an item',
      '[5 in $body.ids, {"a": 1} in [{"a": 1}], 6 in $body.ids]',
      [true, true, false],
    ],
    ['in finds a key', '["name" in $body, "toString" in $body]', [true, false]],
  ])('operators of Kriti compare values: %s', (_what, template, value) => {
    expect(evaluateTemplate(template, SCOPE)).toEqual(value)
  })
})

describe('strings can contain expressions', () => {
  test.each([
    ['null and booleans', '"{{$body.none}} {{true}}"', 'null true'],
    ['lists and objects as JSON with sorted keys', '"{{$body.o}}"', '{"a":["x"],"z":1.0e-3}'],
    [
      'numbers with all significant digits',
      '"{{$body.big}} {{$body.exact}} {{1e3}}"',
      '12345678901234567890 1.5 1000',
    ],
    ['characters of two UTF-16 units', '"\\ud83d\\udeb2"', '🚲'],
    ['a replacement for half a surrogate pair', '"\\ud83d"', '\ufffd'],
    ['the backslash of an escaped slash', '"http:\\/\\/a"', 'http:\\/\\/a'],
  ])('a string in a template can contain %s', (_what, template, value) => {
    expect(evaluateTemplate(template, SCOPE)).toBe(value)
  })

  test('a URL template is written without quotes', () => {
    const url = textTemplate('url', 'http://h/{{$body.ids[0]}}?q={{ escapeUri("a b") }}')
    expect(url(SCOPE)).toBe('http://h/4?q=a%20b')
    expect(() => textTemplate('url', 'a"b')).toThrow("url: Unexpected token 'b'.")
    expect(textTemplate('url', 'a\\"b')(SCOPE)).toBe('a"b')
  })
})

test('a number in a template keeps its digits', () => {
  expect(
    JSON.stringify(evaluateTemplate('[$body.big, $body.exact, 1.50, 12345678901234567890]', SCOPE)),
  ).toBe('[12345678901234567890,1.50,1.50,12345678901234567890]')
})

test('the variables of a loop hide other variables of the same name only inside the loop', () => {
  const template = '[{{ range $body, x := [[7]] }} [$body, x[0]] {{ end }}, $body.name]'
  expect(evaluateTemplate(template, SCOPE)).toEqual([[[0, 7]], 'Ada'])
})

describe("errors of templates have Hasura's codes and messages", () => {
  test.each([
    ['an unbound name', '$nobody', 'Name Error', "Variable '$nobody' not in scope"],
    ['an unknown function', 'toObject([])', 'Name Error', "Variable 'toObject' not in scope"],
    ['an absent member', '$body.nope', 'Attribute Error', "'Object' has no attribute 'nope'"],
    [
      'a member that every object inherits',
      '$body.constructor',
      'Attribute Error',
      "'Object' has no attribute 'constructor'",
    ],
    ['an index after the last', '$body.ids[2]', 'Index Error', 'Index out of range'],
    [
      'a fraction as an index',
      '$body.ids[0.5]',
      'Type Error',
      "Couldn't match expected type 'Integer' with actual type 'Number'",
    ],
    [
      'a member of a string',
      '$body.name.x',
      'Type Error',
      "Couldn't match expected type 'Object' with actual type 'String'",
    ],
    [
      'a number as a key',
      '$body[1]',
      'Type Error',
      "Couldn't match expected type 'String' with actual type 'Number'",
    ],
    [
      'a condition that is not a boolean',
      '{{ if null }} 1 {{ else }} 2 {{ end }}',
      'Type Error',
      "Couldn't match expected type 'Boolean' with actual type 'Null'",
    ],
    [
      'an operand that is not a boolean',
      'false && 1',
      'Type Error',
      "Couldn't match expected type 'Boolean' with actual type 'Number'",
    ],
    [
      'a loop over an object',
      '{{ range _, x := $body }} 1 {{ end }}',
      'Type Error',
      "Couldn't match expected type 'Array' with actual type 'Object'",
    ],
    [
      'in with a string',
      '"a" in "abc"',
      'Type Error',
      "Couldn't match expected type 'Array' with actual type 'String'",
    ],
  ])('an error reports %s', (_what, template, error_code, message) => {
    expect(failureOf(template, SCOPE).report).toMatchObject({ error_code, message })
  })

  test('an error has the position of the part that fails', () => {
    expect(failureOf('{"a": 1,\n "b": {{ head($body.none) }} }', SCOPE).report).toEqual({
      error_code: 'Function Error',
      message: 'Expected an array or string',
      source_position: { start_line: 1, start_column: 15, end_line: 1, end_column: 25 },
    })
  })
})

describe('the work of a template is limited', () => {
  const LIST = Array.from({ length: 3000 }, (_, at) => at)

  test.each([
    [
      'nested loops',
      '{{ range _, a := l }} {{ range _, b := l }} {{ range _, c := l }} 1 {{ end }} {{ end }} {{ end }}',
    ],
    [
      'a search in a list for each of its items',
      '{{ range _, a := l }} {{ range _, b := l }} -1 in l {{ end }} {{ end }}',
    ],
    [
      'a string that is much longer than its parts',
      '{{ range _, a := l }} "{{l}}{{l}}{{l}}{{l}}{{l}}{{l}}" {{ end }}',
    ],
    ['a value repeated in the result', '{{ range _, a := l }} [l, l, l, l, l] {{ end }}'],
    ['repeated joins of lists', '{{ range _, a := l }} concat([l, l, l]) {{ end }}'],
  ])('the work limit stops %s', (_what, template) => {
    const error = failureOf(template, { l: LIST })
    expect(error.report).toEqual({
      error_code: 'Limit Error',
      message: 'the template takes too much work',
    })
  })

  test('a loop over 100,000 items stays within the work limit', () => {
    const long = Array.from({ length: 100_000 }, (_, at) => ({ id: at }))
    expect(
      evaluateTemplate('{{ range _, x := l }} {"n": x.id} {{ end }}', { l: long }),
    ).toHaveLength(100_000)
  })
})
