import type { Request } from 'express'
import { z } from 'zod'

/** With this media type, the HTTP status shows errors. With `application/json`, the response has Hasura's status. */
const GRAPHQL_RESPONSE = 'application/graphql-response+json; charset=utf-8'

/** The types in order of preference: a client that accepts both gets the older type. */
const TYPES = ['application/json; charset=utf-8', GRAPHQL_RESPONSE]

type Answer = { status: number; body: Buffer }

/**
 * Returns the status and type for a client that prefers `application/graphql-response+json`. Returns null for other
 * clients, and for the response to a batch, which the specification does not define.
 *
 * @see https://graphql.github.io/graphql-over-http/draft/#sec-application-graphql-response-json
 */
export function asGraphqlResponse(request: Request, { status, body }: Answer) {
  if (request.accepts(TYPES) !== GRAPHQL_RESPONSE || body[0] === OPENING_BRACKET) return null
  return { status: status === 200 ? statusOf(body) : status, type: GRAPHQL_RESPONSE }
}

const OPENING_BRACKET = '['.charCodeAt(0)

const WithoutData = z.object({
  data: z.undefined().optional(),
  errors: z.array(z.object({ message: z.string(), extensions: z.object({ code: z.string() }) })),
})

/** Returns 200 for a response with `data`. Without `data`, returns 500 if an error is the server's fault, else 400. */
function statusOf(body: Buffer): number {
  if (body.indexOf('{"errors"') !== 0) return 200
  const { data: refusal } = WithoutData.safeParse(JSON.parse(body.toString()))
  if (!refusal) return 200
  return refusal.errors.some(isServerError) ? 500 : 400
}

function isServerError({ message, extensions }: z.infer<typeof WithoutData>['errors'][number]) {
  return (
    SERVER_ERRORS.has(extensions.code) && !message.startsWith('subscriptions are not supported')
  )
}

const SERVER_ERRORS: ReadonlySet<string> = new Set([
  'unexpected',
  'internal-error',
  'postgres-error',
])
