import { z } from 'zod'
import type { ErrorCode } from '../../lib/runtime/errors.ts'
import { type Api, describeRoutes } from '../../lib/runtime/web/openapi/describe-routes.ts'
import type { ErrorForm } from '../../lib/runtime/web/openapi/error-form.ts'
import type { Json } from '../../lib/runtime/web/openapi/json-schema.ts'
import type { RouteDescription } from '../../lib/runtime/web/openapi/responses.ts'
import { EXAMPLES } from './examples/examples.ts'

/**
 * Describes the developer API as OpenAPI 3.1, from the table of routes. Leaves out internal endpoints, the portal's
 * endpoints and assets.
 */
export function openApiDocument(routes: readonly RouteDescription[], addresses: Addresses): Json {
  const publicRoutes = routes.filter((route) => !isInternal(route))
  const title = 'Personhood platform: developer API'
  return describeRoutes(publicRoutes, apiOf({ title, description: ABOUT }, addresses))
}

/** Describes the endpoints that {@link openApiDocument} leaves out. */
export function internalDocument(routes: readonly RouteDescription[], addresses: Addresses): Json {
  const title = 'Personhood platform: internal endpoints of the developer API'
  return describeRoutes(
    routes.filter(isInternal),
    apiOf({ title, description: ABOUT_INTERNAL }, addresses),
  )
}

function isInternal({ tag }: RouteDescription): boolean {
  return tag === 'Internal' || tag === 'Assets' || tag === 'Portal'
}

export type Addresses = {
  baseUrl: string
  /** The address that serves prices; undefined if they have no address except `baseUrl`. */
  pricesUrl?: string | undefined
}

function apiOf(
  about: { title: string; description: string },
  { baseUrl, pricesUrl }: Addresses,
): Api {
  return {
    info: { ...about, version: '2' },
    baseUrl,
    ...(pricesUrl !== undefined && { elsewhere: { Prices: pricesUrl } }),
    securitySchemes: SECURITY_SCHEMES,
    examples: EXAMPLES,
    errorForm: ERROR_FORM,
  }
}

const ABOUT = `Verifies proofs that a unique person did an action, and counts each person no more often than the action allows.

An error is \`{ code, detail, attribute }\`: \`code\` is stable, \`detail\` is for people, and \`attribute\`
names the invalid field, or is null. A GraphQL response lists its errors in \`errors\`. Every response has an
\`x-request-id\`. An unknown path gets 404 \`not_found\`. An unsupported method gets 405 \`method_not_allowed\`,
with \`Allow\`.

You can send every example to a platform that runs with \`npm start\`. The sign-in server publishes another description at
its \`/openapi.json\`.`

const ABOUT_INTERNAL = `The endpoints that Hasura, the operator and the pages of this server call. A proxy must not expose the endpoints for
Hasura and the operator.

An endpoint for Hasura, except the auth hook, requires the secret that this server shares with Hasura. When it fails with
status 500, it answers \`{ success: false, error }\`.`

const SECURITY_SCHEMES = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: "A team's API key, or the token that login and signup return",
  },
  hasura: { type: 'http', scheme: 'bearer', description: 'The secret shared with Hasura' },
}

/** The form of an error (spec 2.15). */
const ERROR_FORM: ErrorForm = {
  schema: (codes: readonly ErrorCode[]) =>
    z.strictObject({
      code: z.enum(codes),
      detail: z.string(),
      attribute: z.string().nullable(),
      ...(codes.includes('all_verifications_failed') && {
        results: z.array(z.looseObject({})).optional(),
      }),
    }),
  example: ({ code, message, attribute }) => ({ code, detail: message, attribute }),
}
