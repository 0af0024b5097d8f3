import { unknownEncoding } from '../errors/content-type.ts'
import { jsonAnswer, refusals } from './answers.ts'
import { Register, Registered, Registration } from './schemas.ts'

const CLIENT = 'app_staging_00000000000000000000000000000003'
const TOKEN = 'the-registration-access-token-of-the-client'
const REDIRECTS = ['https://shop.example/callback']

/** How clients register themselves (RFC 7591, RFC 7592), and the health of the server. */
export function clientPaths(issuer: string) {
  const access = {
    registration_access_token: TOKEN,
    registration_client_uri: `${issuer}/register/${CLIENT}`,
    environment: 'staging',
    removed_if_unused_at: 1_769_860_800,
  }
  const registered = {
    client_id: CLIENT,
    client_secret: 'a-secret-that-is-shown-this-once',
    client_secret_expires_at: 0,
    ...access,
    application_type: 'web',
    client_name: 'Shop',
    redirect_uris: REDIRECTS,
    client_id_issued_at: '2026-01-01T12:00:00.123Z',
    grant_types: 'authorization_code',
    response_types: 'code',
  }
  const read = {
    client_id: CLIENT,
    application_type: 'web',
    client_id_issued_at: 1_767_268_800,
    client_name: 'Shop',
    redirect_uris: REDIRECTS,
    grant_types: ['authorization_code'],
    response_types: ['code'],
    token_endpoint_auth_method: 'client_secret_basic',
    ...access,
  }
  return {
    '/register': { post: registerOperation(registered) },
    '/register/{client_id}': { get: readOperation(read) },
    '/healthz': { get: HEALTH },
  }
}

function registerOperation(registered: object) {
  const request = { client_name: 'Shop', redirect_uris: REDIRECTS }
  return {
    operationId: 'registerClient',
    tags: ['Clients'],
    summary: 'Register a client',
    requestBody: {
      required: true,
      content: {
        'application/json': { schema: Register, examples: { 'a website': { value: request } } },
      },
    },
    responses: {
      201: jsonAnswer('The client, with its secret', Registered, registered),
      ...refusals(
        unknownEncoding(),
        'invalid_request',
        'required',
        'invalid_redirect_uri',
        'validation_error',
        'payload_too_large',
        'rate_limited',
      ),
    },
  }
}

function readOperation(registration: object) {
  return {
    operationId: 'readClient',
    tags: ['Clients'],
    summary: 'What a client has registered',
    security: [{ registration: [] }],
    parameters: [
      {
        name: 'client_id',
        in: 'path',
        required: true,
        schema: { type: 'string' },
        example: CLIENT,
      },
    ],
    responses: {
      200: jsonAnswer('What was registered', Registration, registration),
      ...refusals('unauthenticated', 'invalid_token', 'rate_limited'),
    },
  }
}

const HEALTH = {
  operationId: 'health',
  tags: ['Health'],
  summary: 'Whether the process answers',
  responses: {
    200: {
      description: 'It does',
      content: { 'text/plain': { schema: { type: 'string' }, example: 'OK' } },
    },
  },
}
