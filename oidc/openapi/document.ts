import { z } from 'zod'
import { ApiError } from '../../lib/runtime/errors.ts'
import { describeRoutes } from '../../lib/runtime/web/openapi/describe-routes.ts'
import type { ErrorForm } from '../../lib/runtime/web/openapi/error-form.ts'
import type { Json } from '../../lib/runtime/web/openapi/json-schema.ts'
import type { RouteDescription } from '../../lib/runtime/web/openapi/responses.ts'
import type { Operation } from '../../lib/runtime/web/operation.ts'
import { signInErrorBody } from '../errors/error-body.ts'
import { examplesOf } from './examples.ts'

/**
 * `GET /openapi.json`: the sign-in server's endpoints (spec 4.3) as OpenAPI 3.1, for websites and tools.
 *
 * @param routes a function, since this operation is itself in the table that it describes
 */
export function describeSignIn(
  routes: () => readonly RouteDescription[],
  issuer: string,
): Operation<unknown, unknown> {
  return {
    operationId: 'describe',
    tag: 'Sign-in',
    summary: 'This description',
    answers: { 200: z.looseObject({ openapi: z.literal('3.1.1') }) },
    errors: [],
    handle() {
      const text = JSON.stringify(signInDocument(routes(), issuer))
      return (_input, _request, response) => {
        response.set('cache-control', 'no-store').type('json').send(text)
      }
    },
  }
}

/** Returns the description, without internal paths and the pages that only a person's browser visits. */
export function signInDocument(routes: readonly RouteDescription[], issuer: string): Json {
  return describeTable(
    routes.filter((route) => !isHidden(route)),
    issuer,
  )
}

/** Returns the description of the routes that {@link signInDocument} leaves out. */
export function hiddenDocument(routes: readonly RouteDescription[], issuer: string): Json {
  return describeTable(routes.filter(isHidden), issuer)
}

function isHidden({ tag }: RouteDescription): boolean {
  return tag === 'Pages' || tag === 'Internal'
}

/** @param issuer the address at which callers reach the server */
function describeTable(routes: readonly RouteDescription[], issuer: string): Json {
  return describeRoutes(routes, {
    info: { title: 'Personhood platform: sign-in server', version: '1', description: ABOUT },
    baseUrl: issuer,
    securitySchemes: SECURITY_SCHEMES,
    examples: examplesOf(issuer),
    errorForm: ERROR_FORM,
  })
}

const ABOUT = `Signs people in with OpenID Connect. A library for your language reads its settings from \`/.well-known/openid-configuration\`.

An error has the fields of OAuth 2.0 (\`error\`, \`error_description\`) and of the developer API (\`code\`, \`detail\`, \`attribute\`). Every response has an \`x-request-id\`.`

const SECURITY_SCHEMES = {
  client: { type: 'http', scheme: 'basic', description: 'The id and the secret of a client' },
  accessToken: { type: 'http', scheme: 'bearer', description: 'The access token of a person' },
  registration: {
    type: 'http',
    scheme: 'bearer',
    description: 'The registration access token of a client',
  },
}

const ERROR_FORM: ErrorForm = {
  schema: (codes) =>
    z.strictObject({
      code: z.enum(codes),
      detail: z.string(),
      attribute: z.string().nullable(),
      error: z.string().describe('The error of OAuth 2.0 (RFC 6749 5.2)'),
      error_description: z.string(),
    }),
  example: ({ code, message, attribute }) =>
    signInErrorBody(
      new ApiError(code, { detail: message, attribute: attribute ?? undefined }),
      message,
    ),
}
