import { describe, expect, test } from 'vitest'
import { requestTransform } from '../../outgoing/transform/request-transform.ts'
import type { WebhookRequest } from '../../outgoing/transform/webhook-request.ts'

const REQUEST: WebhookRequest = {
  method: 'POST',
  url: 'http://handler.test/path?kept=1',
  headers: { 'Content-Type': 'application/json', Secret: 's' },
  body: { json: { input: { x: 'a b', y: null, ids: [1, 2] } } },
}
const SESSION = { 'x-hasura-role': 'user' }

test('an empty transform changes nothing', () => {
  expect(requestTransform({ version: 2 })(REQUEST, SESSION)).toEqual(REQUEST)
})

describe('query_params replace the query of the URL', () => {
  test.each([
    ['query_params replace those of the URL', { x: '1' }, '?x=1'],
    ['empty query_params remove those of the URL', {}, ''],
    ['query_params are escaped', { 'a b': `{{$body.input.x}}!'` }, '?a%20b=a%20b%21%27'],
    [
      'query_params that evaluate to null are left out',
      { x: '{{$body.input.y}}', y: '{{$body?.z}}', null: '1' },
      '',
    ],
    ['query_params without a value have no equals sign', { flag: null, x: '' }, '?flag&x='],
    ['query_params as a string can repeat a name', 'id=1&id=2', '?id=1&id=2'],
    [
      'query_params as a string can come from a template',
      '{{concat(["role=", $session_variables["x-hasura-role"]])}}',
      '?role=user',
    ],
    [
      'query_params as a string are escaped again',
      '?a=b+c%26&flag;é=1',
      '?a=b%20c%26&flag&%C3%A9=1',
    ],
    [
      'query_params can read the old ones as pairs',
      { old: '{{$query_params}}' },
      '?old=%5B%5B%22kept%22%2C%221%22%5D%5D',
    ],
  ])('%s', (_what, query_params, search) => {
    const { url } = requestTransform({ query_params })(REQUEST, SESSION)
    expect(url).toBe(`http://handler.test/path${search}`)
  })
})

test('method, URL, headers and body are replaced', () => {
  const transform = requestTransform({
    method: 'PUT',
    url: '{{$base_url}}&more=2',
    request_headers: {
      add_headers: { 'X-Role': `{{$session_variables['x-hasura-role']}}` },
      remove_headers: ['secret'],
    },
    body: { action: 'transform', template: '{"only":{{$body.input.x}}}' },
  })
  expect(transform(REQUEST, SESSION)).toEqual({
    method: 'PUT',
    url: 'http://handler.test/path?kept=1&more=2',
    headers: { 'Content-Type': 'application/json', 'X-Role': 'user' },
    body: { json: { only: 'a b' } },
  })
})

test('form fields that evaluate to null are left out', () => {
  const form = requestTransform({
    body: {
      action: 'x_www_form_urlencoded',
      form_template: {
        x: '{{$body.input.x}}',
        'n[]': '{{$body.input.ids}}',
        y: '{{$body.input.y}}',
      },
    },
  })
  expect(form(REQUEST, SESSION).body).toEqual({ text: 'n%5B%5D=%5B1%2C2%5D&x=a%20b' })
})

test('the body can be removed', () => {
  expect(requestTransform({ body: { action: 'remove' } })(REQUEST, SESSION).body).toBeNull()
})

test.each([
  [
    'a template that cannot be evaluated',
    { url: '{{$body.nowhere}}' },
    {
      error_code: 'Attribute Error',
      message: "'Object' has no attribute 'nowhere'",
      source_position: { start_line: 0, start_column: 4, end_line: 0, end_column: 17 },
    },
  ],
  [
    'an invalid URL',
    { url: '/{{$body.input.x}}' },
    { error_code: 'TransformationError', message: 'Invalid URL: /a b' },
  ],
])('%s fails the transformation with an internal reason', (_what, definition, report) => {
  expect(() => requestTransform(definition)(REQUEST, SESSION)).toThrow(
    expect.objectContaining({
      code: 'unexpected',
      message: 'Request Transformation Failed',
      internal: [report],
    }),
  )
})

test.each([
  ['url', { url: '{{$body' }, 'url: Unexpected token'],
  ['query_params', { query_params: { a: '{{$body..}}' } }, 'query parameter a: Unexpected token'],
  ['request_headers', { request_headers: { add_headers: { A: '{{' } } }, 'header A: Unexpected'],
  ['body', { body: '{' }, 'body: Unexpected end of the template.'],
])('an error of a template names its part of the transform: %s', (_where, definition, message) => {
  expect(() => requestTransform(definition)).toThrow(message)
})
