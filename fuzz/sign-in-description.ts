import { OpenApi } from './endpoints.ts'

const text = { type: 'string' }
const query = (...names: string[]) =>
  names.map((name) => ({ name, in: 'query', required: false, schema: text }))
const form = (...names: string[]) => ({
  content: {
    'application/x-www-form-urlencoded': {
      schema: { properties: Object.fromEntries(names.map((name) => [name, text])) },
    },
  },
})

/** The sign-in server's endpoints (spec 4.3), described as OpenAPI. */
export const signInDescription = OpenApi.parse({
  paths: {
    '/.well-known/openid-configuration': { get: {} },
    '/jwks': { get: {} },
    '/register': {
      post: {
        requestBody: {
          content: {
            'application/json': {
              schema: {
                properties: {
                  redirect_uris: { type: 'array', items: text },
                  client_name: text,
                  application_type: { enum: ['web', 'mobile'] },
                  grant_types: { anyOf: [text, { type: 'array', items: text }] },
                  response_types: { anyOf: [text, { type: 'array', items: text }] },
                },
              },
            },
          },
        },
      },
    },
    '/authorize': {
      get: {
        parameters: query(
          'response_type',
          'scope',
          'client_id',
          'redirect_uri',
          'state',
          'nonce',
          'response_mode',
          'code_challenge',
          'code_challenge_method',
          'request',
          'request_uri',
          'claims',
          'prompt',
          'max_age',
        ),
      },
    },
    '/token': {
      post: {
        requestBody: form(
          'grant_type',
          'code',
          'redirect_uri',
          'client_id',
          'client_secret',
          'code_verifier',
        ),
      },
    },
    '/introspect': { post: { requestBody: form('token') } },
    '/userinfo': { get: {}, post: { requestBody: form('access_token') } },
    '/interaction/{uid}': {
      get: { parameters: [{ name: 'uid', in: 'path', schema: text }] },
      post: {
        parameters: [{ name: 'uid', in: 'path', schema: text }],
        requestBody: form('proof', 'csrf'),
      },
    },
  },
})
