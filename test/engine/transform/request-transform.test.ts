import { expect, test } from 'vitest'
import {
  requestTransform,
  type WebhookRequest,
} from '../../../engine/transform/request-transform.ts'
import { responseTransform } from '../../../engine/transform/response-transform.ts'

const REQUEST: WebhookRequest = {
  method: 'POST',
  url: 'http://handler.test/path?kept=1',
  headers: { 'Content-Type': 'application/json', Secret: 's' },
  body: { json: { input: { x: 'a b', y: null } } },
}
const SESSION = { 'x-hasura-role': 'user' }

test('a transform that says nothing changes nothing', () => {
  expect(requestTransform({ version: 2 })(REQUEST, SESSION)).toEqual(REQUEST)
})

test('query parameters are added, encoded, and left out when they come out as null', () => {
  const transform = requestTransform({
    query_params: { x: '{{$body.input.x}}', y: '{{$body.input?.y}}', z: '{{$body.input?.z}}' },
  })
  expect(transform(REQUEST, SESSION).url).toBe('http://handler.test/path?kept=1&x=a+b')
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

test('a body can become a form or go', () => {
  const form = requestTransform({
    body: { action: 'x_www_form_urlencoded', form_template: { x: '{{$body.input.x}}' } },
  })
  expect(form(REQUEST, SESSION).body).toEqual({ text: 'x=a+b' })
  expect(requestTransform({ body: { action: 'remove' } })(REQUEST, SESSION).body).toBeNull()
})

test('a template that cannot be filled in is a failed transformation', () => {
  const transform = requestTransform({ url: '{{$body.nowhere}}' })
  expect(() => transform(REQUEST, SESSION)).toThrow(
    expect.objectContaining({ code: 'unexpected', message: 'Request Transformation Failed' }),
  )
})

test('a response transform sees the body and the status', () => {
  const transform = responseTransform({
    body: { action: 'transform', template: '{"s":{{$response.status}},"v":{{$body.v}}}' },
  })
  expect(transform({ status: 200, body: { v: 1 } }, {})).toEqual({ s: 200, v: 1 })
})
