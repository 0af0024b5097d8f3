import { describe, expect, test } from 'vitest'
import { parseExactJson } from '../../../../lib/runtime/exact-json.ts'
import { evaluateTemplate, failureOf } from '../support/transform/templates.ts'

const SCOPE = { $session_variables: { 'x-hasura-user-id': '42' }, tiny: parseExactJson('0.0') }

describe("functions of Kriti return Hasura's values and errors", () => {
  test.each([
    [
      'empty',
      '[empty({}), empty([0]), empty(" \\t"), empty(tiny), empty(null)]',
      [true, false, true, true, true],
    ],
    [
      'size',
      '[size({"a": 1}), size([1, 2]), size("🚲"), size(7), size(true), size(false), size(null)]',
      [1, 2, 1, 7, 1, 0, 0],
    ],
    [
      'inverse',
      '[inverse("a🚲"), inverse([1, 2]), inverse(8), inverse(true), inverse(null), inverse({"a": 1})]',
      ['🚲a', [2, 1], 0.125, false, null, { a: 1 }],
    ],
    ['head', '[head([3, 4]), head("🚲a"), head([null])]', [3, '🚲', null]],
    ['tail', '[tail([3, 4]), tail("🚲a"), tail("a")]', [[4], 'a', '']],
    ['toLower', 'toLower("ÄΟΔΟΣ")', 'äοδοσ'],
    ['toUpper', 'toUpper("straße")', 'STRASSE'],
    ['toCaseFold', '[toCaseFold("Straße"), toCaseFold("Σς")]', ['strasse', 'σσ']],
    ['toTitle', `toTitle("o'neil-SMITH of 3rd élan")`, "O'neil-smith Of 3Rd Élan"],
    ['escapeUri', `escapeUri("a-Z_0.~ ü/?'()*!")`, 'a-Z_0.~%20%C3%BC%2F%3F%27%28%29%2A%21'],
    [
      'toPairs',
      'toPairs({"b": 1, "a": [2]})',
      [
        ['a', [2]],
        ['b', 1],
      ],
    ],
    ['fromPairs', 'fromPairs([["a", 1], ["b", null], ["a", 2]])', { a: 2, b: null }],
    ['removeNulls', 'removeNulls([null, 0, "", null])', [0, '']],
    [
      'concat',
      '[concat([[1], [], [2]]), concat(["a", "b"]), concat([{"a": 1, "b": 1}, {"b": 2}]), concat([])]',
      [[1, 2], 'ab', { a: 1, b: 2 }, []],
    ],
    ['not', '[not(true), not(false)]', [false, true]],
    [
      'getSessionVariable',
      '[getSessionVariable("X-Hasura-User-Id"), getSessionVariable(null)]',
      ['42', null],
    ],
  ])('the function %s returns the expected values', (_name, template, value) => {
    expect(evaluateTemplate(template, SCOPE)).toEqual(value)
  })

  test.each([
    ['empty(true)', 'Cannot define emptiness for a boolean'],
    ['head([])', 'Empty array'],
    ['head("")', 'Empty string'],
    ['tail([])', 'Empty array'],
    ['tail({})', 'Expected an array or string'],
    ['inverse(0)', 'Cannot divide by zero'],
    ['toLower(1)', 'parsing String failed, expected String, but encountered Number'],
    ['toPairs([])', 'parsing Object failed, expected Object, but encountered Array'],
    [
      'fromPairs([["a"]])',
      'Expected an array of shape [ [k1,v1], [k2,v2] ... ] - With String keys.',
    ],
    ['fromPairs([[1, 2]])', 'parsing Key failed, expected String, but encountered Number'],
    ['removeNulls({"a": null})', 'parsing Array failed, expected Array, but encountered Object'],
    ['concat([[1], "a"])', 'parsing Nested Object failed, expected Object, but encountered Array'],
    ['not(1)', 'parsing Bool failed, expected Boolean, but encountered Number'],
    ['getSessionVariable("x-none")', 'Session variable "x-none" not found'],
    ['getSessionVariable(1)', 'Session variable name should be a string'],
  ])("the function call %s fails with Hasura's message", (template, message) => {
    expect(failureOf(template, SCOPE).report).toMatchObject({
      error_code: 'Function Error',
      message,
    })
  })
})
