import { describe, expect, test } from 'vitest'
import { jsonTemplate, textTemplate } from '../../../engine/transform/kriti.ts'
import { TemplateError } from '../../../engine/transform/kriti-tokens.ts'

const SCOPE = {
  $body: { name: 'Ada "A" Lovelace', tags: ['x', 'y'], nested: { deep: [{ id: 7 }] }, none: null },
  $session_variables: { 'x-hasura-user-id': '42' },
  $base_url: 'http://handler.test/path',
}

describe('a JSON template', () => {
  test.each([
    [
      'plain JSON is itself',
      '{"a":[1,-2.5e3,true,null,"\\u0041"]}',
      { a: [1, -2500, true, null, 'A'] },
    ],
    ['a value keeps its type', '{"tags":{{$body.tags}}}', { tags: ['x', 'y'] }],
    [
      'objects may close with an expression',
      '{"a":{"b":{"c":{{$body.nested.deep[0].id}}}}}',
      { a: { b: { c: 7 } } },
    ],
    ['a text with an expression in it', '"id-{{$body.nested.deep[0].id}}"', 'id-7'],
    ['keys in brackets', `{{$session_variables['x-hasura-user-id']}}`, '42'],
    ['what is absent may be asked for with a question mark', '{{$body?.nowhere?.at?[0]}}', null],
    ['a default for null', '{{$body.none ?? "d"}}', 'd'],
    ['if', '{{ if size($body.tags) > 1 }} "many" {{ else }} "few" {{ end }}', 'many'],
    ['elif', '{{ if false }} 1 {{ elif true }} 2 {{ else }} 3 {{ end }}', 2],
    ['an if without else', '{{ if false }} 1 {{ end }}', null],
    [
      'range',
      '{{ range i, tag := $body.tags }} {"n":{{i}},"t":{{tag}}} {{ end }}',
      [
        { n: 0, t: 'x' },
        { n: 1, t: 'y' },
      ],
    ],
    ['operators by their precedence', '{{ 1 == 2 || "x" in $body.tags && not(false) }}', true],
    ['functions', '{{ toUpper("ab") }}', 'AB'],
    ['session variables by any case', '{{ getSessionVariable("X-Hasura-User-Id") }}', '42'],
  ])('%s', (_what, template, value) => {
    expect(jsonTemplate(template)(SCOPE)).toEqual(value)
  })

  test.each([
    ['an open object', '{'],
    ['an open text', '"a'],
    ['an open expression', '{{ $body'],
    ['something after the value', '1 2'],
    ['an if without end', '{{ if true }} 1'],
    ['a stray symbol', '{"a": #}'],
  ])('%s cannot be read', (_what, template) => {
    expect(() => jsonTemplate(template)).toThrow(TemplateError)
  })

  test.each([
    ['a name that is not defined', '{{ $nobody }}'],
    ['a member that is absent', '{{ $body.nowhere }}'],
    ['a member that every object inherits', '{{ $body.constructor }}'],
    ['a condition that is no truth', '{{ if 1 }} 2 {{ end }}'],
    ['a range over an object', '{{ range i, x := $body }} 1 {{ end }}'],
  ])('%s cannot be filled in', (_what, template) => {
    const read = jsonTemplate(template)
    expect(() => read(SCOPE)).toThrow(TemplateError)
  })
})

describe('a text template', () => {
  test('quotes and backslashes stand for themselves', () => {
    expect(textTemplate('a"b\\c {{$body.nested.deep[0].id}}')(SCOPE)).toBe('a"b\\c 7')
  })

  test('braces inside a text of the expression do not end it', () => {
    expect(textTemplate(`{{ "}}" }}!`)(SCOPE)).toBe('}}!')
  })
})
