import { z } from 'zod'
import type { ErrorCode } from '../../lib/runtime/errors.ts'
import { type Api, describeRoutes } from '../../lib/runtime/web/openapi/describe-routes.ts'
import type { ErrorForm } from '../../lib/runtime/web/openapi/error-form.ts'
import type { Json } from '../../lib/runtime/web/openapi/json-schema.ts'
import type { Described } from '../../lib/runtime/web/openapi/responses.ts'
import { EXAMPLES } from './examples/examples.ts'

/**
 * The developer API as OpenAPI 3.1, made from the table of routes. What only our own services call, and the parts of
 * pages, are left out.
 */
export function openApiDocument(routes: readonly Described[], addresses: Addresses): Json {
  const shown = routes.filter((route) => !isInternal(route))
  const title = 'Personhood platform: developer API'
  return describeRoutes(shown, apiOf({ title, description: ABOUT }, addresses))
}

/** The same of what {@link openApiDocument} leaves out. */
export function internalDocument(routes: readonly Described[], addresses: Addresses): Json {
  const title = 'Personhood platform: internal endpoints of the developer API'
  return describeRoutes(
    routes.filter(isInternal),
    apiOf({ title, description: ABOUT_INTERNAL }, addresses),
  )
}

function isInternal({ tag }: Described): boolean {
  return tag === 'Internal' || tag === 'Assets' || tag === 'Portal'
}

export type Addresses = {
  baseUrl: string
  /** Where prices are served, if not there too. */
  pricesUrl?: string | undefined
}

function apiOf(
  about: { title: string; description: string },
  { baseUrl, pricesUrl }: Addresses,
): Api {
  return {
    about: { ...about, version: '2' },
    baseUrl,
    ...(pricesUrl !== undefined && { elsewhere: { Prices: pricesUrl } }),
    securitySchemes: SECURITY_SCHEMES,
    examples: EXAMPLES,
    errorForm: ERROR_FORM,
  }
}

const ABOUT = `Checks that a unique person did something once, counts it, and never counts it twice.

Errors are \`{ code, detail, attribute }\`: \`code\` is stable, \`detail\` is for people, and \`attribute\`
names the field at fault, or is null. Every answer has an \`x-request-id\`. An unknown path is
404 \`not_found\`; a method that a path does not have is 405 \`method_not_allowed\`, with \`Allow\`.

Every example is accepted by a platform that \`npm start\` has made. The sign-in server has a description of its own, at
\`/openapi.json\` of its address.`

const ABOUT_INTERNAL = `What Hasura, the operator and the pages of this server call; a proxy passes none of Hasura's and the operator's on.

Operations that only Hasura may call take the secret shared with it, and answer \`{ success: false, error }\` when they
fail.`

const SECURITY_SCHEMES = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: "A team's API key, or the token that login and signup return",
  },
  hasura: { type: 'http', scheme: 'bearer', description: 'The secret shared with Hasura' },
}

/** Spec 2.15. */
const ERROR_FORM: ErrorForm = {
  schema: (codes: readonly ErrorCode[]) =>
    z.strictObject({
      code: z.enum(codes),
      detail: z.string(),
      attribute: z.string().nullable(),
    }),
  example: ({ code, message, attribute }) => ({ code, detail: message, attribute }),
}
