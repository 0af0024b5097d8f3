import { expect, test } from 'vitest'
import { responseTransform } from '../../outgoing/transform/response-transform.ts'
import { requestScope } from '../../outgoing/transform/webhook-request.ts'

const SESSION = { 'x-hasura-role': 'user' }
const REQUEST = requestScope(
  { method: 'PUT', url: 'http://h.test/made?a=1', headers: {}, body: { json: { sent: 1 } } },
  'http://h.test/base',
  SESSION,
)
const ANSWER = { status: 201, body: { v: 1 }, session: SESSION, request: REQUEST }

test.each([
  ['the body and the status', '[$body.v, $response.status]', [1, 201]],
  ['the session variables', `$session_variables['x-hasura-role']`, 'user'],
  [
    'the body, the URL and the query parameters of the request',
    '[$request.body.body.sent, $request.url.base_url, $request.query_params.query_params]',
    [1, 'http://h.test/base', [['a', '1']]],
  ],
])('a response transform can read %s', (_what, template, value) => {
  const transform = responseTransform({ body: { action: 'transform', template } })
  expect(transform(ANSWER)).toEqual(value)
})

test('$request is null if the request was not transformed', () => {
  const transform = responseTransform({ body: '[$request, $request?.body]' })
  expect(transform({ ...ANSWER, request: null })).toEqual([null, null])
})

test('a response can be transformed to a form or removed', () => {
  const form_template = { a: '{{$body.v}}', b: '{{$body?.w}}' }
  const form = responseTransform({ body: { action: 'x_www_form_urlencoded', form_template } })
  expect(form(ANSWER)).toBe('a=1')
  expect(responseTransform({ body: { action: 'remove' } })(ANSWER)).toBeNull()
})
