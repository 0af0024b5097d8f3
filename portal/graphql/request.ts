import type { TypedDocumentString } from './generated/graphql.ts'
import { fromStatus, type RequestError, toRequestError } from './request-error.ts'
import { type Reply, send } from './send.ts'

type Arguments<Variables> =
  Variables extends Record<string, never>
    ? [variables?: Record<string, never>, signal?: AbortSignal]
    : [variables: Variables, signal?: AbortSignal]

/**
 * Sends a GraphQL request as the current user. Nothing is cached or shared here, because TanStack Query does that.
 *
 * @throws RequestError
 */
export async function request<Result, Variables>(
  document: TypedDocumentString<Result, Variables>,
  ...[variables, signal]: Arguments<Variables>
): Promise<Result> {
  const query = document.toString().trim()
  const [, operationName] = /^\w+\s+(\w+)/.exec(query) ?? []
  const reply = await send<Answer<Result>>('/v1/graphql', {
    body: { query, variables, operationName },
    signal,
    isChange: query.startsWith('mutation'),
  })
  const { data, errors } = reply.body ?? {}
  if (data && errors === undefined) return data
  throw await readRefusal(reply)
}

type Answer<Result> = { data?: Result | null; errors?: unknown }

async function readRefusal({ body, status }: Reply<unknown>): Promise<RequestError> {
  // Zod is loaded only here, because it would be a quarter of the first page's code. After an update of the portal, it may be
  // missing.
  const schemas = await import('./response-schemas.ts').catch(() => null)
  const refusal = schemas?.GraphqlErrors.safeParse(body)
  return refusal?.success ? toRequestError(refusal.data.errors[0]) : fromStatus(status)
}
