import { Client, fetchExchange } from '@urql/core'
import type { TypedDocumentString } from './generated/graphql.ts'
import { asRequestError } from './request-error.ts'

/** A GraphQL client without a cache, because TanStack Query has a cache. The browser adds the session cookie to requests. */
const client = new Client({
  url: '/v1/graphql',
  exchanges: [fetchExchange],
  requestPolicy: 'network-only',
  preferGetMethod: false,
  fetchOptions: { credentials: 'same-origin' },
})

type Arguments<Variables> = Variables extends Record<string, never> ? [] : [variables: Variables]

/**
 * Sends a GraphQL request as the current user.
 *
 * @throws RequestError
 */
export async function request<Result, Variables>(
  document: TypedDocumentString<Result, Variables>,
  ...[variables]: Arguments<Variables>
): Promise<Result> {
  const text = document.toString().trim()
  const values = { ...variables }
  const { data, error } = text.startsWith('mutation')
    ? await client.mutation<Result>(text, values)
    : await client.query<Result>(text, values)
  if (data === undefined) throw asRequestError(error)
  return data
}
