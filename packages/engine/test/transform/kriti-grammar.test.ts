import { describe, expect, test } from 'vitest'
import { TemplateError } from '../../outgoing/transform/kriti/template-error.ts'
import { evaluateTemplate, failureOf } from '../support/transform/templates.ts'

const SCOPE = {
  $body: {
    user: { name: 'Ada', 'first name': 'A', end: 'reserved' },
    ids: [4, 5],
    rows: [{ tags: ['x', 'y'] }, { tags: [] }],
    none: null,
    count: 3,
  },
  a: 1,
  'b-c': 2,
}

describe("the grammar of Kriti templates is Hasura's", () => {
  test.each([
    [
      'JSON',
      '{"a": [1, -2.5e3, true, null, "\\u0041\\n"], "": {}}',
      { a: [1, -2500, true, null, 'A\n'], '': {} },
    ],
    ['values without braces', '[$body.count, {"n": $body.user.name}]', [3, { n: 'Ada' }]],
    ['values in braces', '[{{ $body.count }}, {"n": {{$body.user.name}}}]', [3, { n: 'Ada' }]],
    ['braces in braces', '{{ {{ $body.count }} }}', 3],
    ['comments', '# first\n[1, # second\n {{ 2 # third }}\n }}] # last', [1, 2]],
    ['names with hyphens and dollars', '[b-c, a]', [2, 1]],
    [
      'members by name, string and value',
      `[$body.user['first name'], $body["count"], $body.ids[a]]`,
      ['A', 3, 5],
    ],
    ['members of values in parentheses', '({"k": [7]}).k[0]', 7],
    ['members of a loop', '{{ range _, x := $body.ids }} x {{ end }}[1]', 5],
    ['reserved words as members in quotes', `$body.user['end']`, 'reserved'],
    ['strings with expressions', '"{{$body.user.name}}-{{ "{{a}}" }}!"', 'Ada-1!'],
    ['braces in strings', '"{ \\{{ } }}"', '{ {{ } }}'],
    ['strings of several lines', '"a\nb"', 'a\nb'],
    [
      'a loop with an index',
      '{{ range i, x := $body.ids }} [i, x] {{ end }}',
      [
        [0, 4],
        [1, 5],
      ],
    ],
    [
      'a loop in a loop',
      '{{ range _, r := $body.rows }} {{ range _, t := r.tags }} "{{t}}" {{ end }} {{ end }}',
      [['x', 'y'], []],
    ],
    [
      'a loop over a condition',
      '{{ range _, x := {{ if true }} $body.ids {{ else }} [] {{ end }} }} x {{ end }}',
      [4, 5],
    ],
    [
      'a loop as an argument',
      'concat({{ range _, r := $body.rows }} r.tags {{ end }})',
      ['x', 'y'],
    ],
    [
      'conditions',
      '{{ if false }} 1 {{ elif a == 1 }} 2 {{ elif true }} 3 {{ else }} 4 {{ end }}',
      2,
    ],
    ['a condition as an operand', '{{ if true }} 1 {{ else }} 2 {{ end }} == 1', true],
    ['an operator between operands in parentheses', '(a == 1) && (false || true)', true],
    ['operators without an order of precedence', '(1 < 2) == true', true],
    ['not applied to all that follows', 'not true && false', true],
    ['calls in calls', 'size(concat(["ab", toUpper("c")]))', 3],
    ['integers with leading zeros', '[007, -0]', [7, 0]],
    ['the first value of a repeated key', '{"k": 1, "k": 2}', { k: 1 }],
  ])('a template can have %s', (_what, template, value) => {
    expect(evaluateTemplate(template, SCOPE)).toEqual(value)
  })

  test.each([
    ['an open object', '{', 'Unexpected end of the template.'],
    ['an open string', '"a', 'Unexpected end of the template.'],
    ['an open expression', '{{ a', 'Unexpected end of the template.'],
    ['a missing brace', '{{ a }', "Unexpected token '}'."],
    ['something after the value', '1 2', "Unexpected token '2'."],
    ['a comma before the end', '[1,]', "Unexpected token ']'."],
    ['a key that is not a string', '{ 1: 2 }', "Unexpected token '1'."],
    ['a key with an expression', '{"{{a}}": 2}', "Unexpected token '{{'."],
    ['two operators', 'a && true && false', "Unexpected token '&&'."],
    ['an operator after a call', 'size([]) > 1', "Unexpected token '>'."],
    ['a step after braces', '{{ a }}.b', "Unexpected token '.'."],
    ['a reserved word as a member', 'a.end', "Unexpected token 'end'."],
    ['single quotes outside of brackets', `'a'`, `Unexpected token '''.`],
    ['an empty string in single quotes', `a['']`, `Unexpected token '''.`],
    ['an if without else', '{{ if true }} 1 {{ end }}', "Unexpected token 'end'."],
    ['a loop with one name', '{{ range x := [] }} 1 {{ end }}', "Unexpected token ':='."],
    ['the end of two objects in braces', '{{ {"a": {"b": 1}} }}', "Unexpected token '}}'."],
    ['a call without its argument', 'size()', "Unexpected token ')'."],
    ['an unknown escape', '"\\x"', "Invalid Lexeme: '\\'"],
    ['an unknown character', '[=]', "Invalid Lexeme: '='"],
  ])('a template with %s is rejected', (_what, template, message) => {
    expect(failureOf(template, SCOPE).report.message).toBe(message)
  })

  test('a template with more than 100 nested expressions or steps is rejected', () => {
    const nestedLists = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
    expect(() => evaluateTemplate(nestedLists(100), {})).not.toThrow()
    const message = 'Expressions are nested more than 100 deep.'
    expect(failureOf(nestedLists(101), {}).report.message).toBe(message)
    expect(failureOf(`a${'.b'.repeat(10_000)}`, {}).report.message).toBe(message)
  })
})

test('a parse error counts lines from 0 and columns from 1 in its report', () => {
  const error = failureOf('[\n "🚲", a b ]', SCOPE)
  expect(error).toBeInstanceOf(TemplateError)
  expect(error.report).toEqual({
    error_code: 'Parse Error',
    message: "Unexpected token 'b'.",
    source_position: { start_line: 1, start_column: 9, end_line: 1, end_column: 10 },
  })
  expect(error.message).toBe("body: Unexpected token 'b'. at line 2, column 9")
})
