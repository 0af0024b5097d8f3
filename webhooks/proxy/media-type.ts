import type { Request } from 'express'
import { z } from 'zod'

/** In this type the status tells whether the request was carried out; in `application/json` it is 200, as in Hasura. */
const GRAPHQL_RESPONSE = 'application/graphql-response+json; charset=utf-8'

/** Whoever accepts both alike, or anything, gets the older one. */
const TYPES = ['application/json; charset=utf-8', GRAPHQL_RESPONSE]

type Answer = { status: number; body: Buffer }

/**
 * The status and type of an answer for a client that prefers `application/graphql-response+json`; null for every other
 * client, and for the answer to a batch, which the specification does not know.
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

/** An answer without `data` is a refusal: 400, or 500 if the fault is ours. */
function statusOf(body: Buffer): number {
  if (body.indexOf('{"errors"') !== 0) return 200
  const { data: refusal } = WithoutData.safeParse(JSON.parse(body.toString()))
  if (!refusal) return 200
  return refusal.errors.some(isOurFault) ? 500 : 400
}

function isOurFault({ message, extensions }: z.infer<typeof WithoutData>['errors'][number]) {
  return OUR_FAULTS.has(extensions.code) && !message.startsWith('subscriptions are not supported')
}

const OUR_FAULTS: ReadonlySet<string> = new Set(['unexpected', 'internal-error', 'postgres-error'])
