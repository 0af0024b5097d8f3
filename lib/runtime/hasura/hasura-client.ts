import { ClientError, GraphQLClient } from 'graphql-request'
import { ApiError } from '../errors.ts'
import type { Secrets } from '../secrets/secret.ts'
import { createKeepAliveFetch, type Fetch } from './keep-alive-fetch.ts'

type Options = { endpoint: string; adminSecrets: Secrets; timeoutMs: number }

/** Creates a client of Hasura's GraphQL API with the role `service`. */
export function createHasuraClient({ endpoint, adminSecrets, timeoutMs }: Options): GraphQLClient {
  const send = createKeepAliveFetch(timeoutMs)
  return new GraphQLClient(`${endpoint}/v1/graphql`, {
    headers: { 'x-hasura-admin-secret': adminSecrets[0], 'x-hasura-role': 'service' },
    // Each document has a single operation, so its name is not needed. To find the name, graphql-request would parse the
    // document.
    excludeOperationName: true,
    fetch: adminSecrets.length === 1 ? send : tryEachSecret(adminSecrets, send),
  })
}

/**
 * Retries a call with the next secret if Hasura rejects the first. Hasura does not run a rejected call, so a retry is
 * safe for mutations too.
 *
 * Each secret is tried twice, the second time in reverse order. During a change of the secret, a load balancer may
 * alternate between instances with the old and the new secret. Without the reverse order, every try could reach the
 * wrong instance.
 */
function tryEachSecret(secrets: Secrets, send: Fetch): Fetch {
  let acceptedSecret = secrets[0]
  return async (url, init) => {
    const headers = new Headers(init?.headers)
    const order = [acceptedSecret, ...secrets.filter((secret) => secret !== acceptedSecret)]
    const tries = [...order, ...order.toReversed()]
    for (const [index, secret] of tries.entries()) {
      headers.set('x-hasura-admin-secret', secret)
      const response = await send(url, { ...init, headers })
      if (index < tries.length - 1 && (await isSecretRejected(response))) continue
      acceptedSecret = secret
      return response
    }
    throw new TypeError('The list of admin secrets is empty.')
  }
}

async function isSecretRejected(response: Response): Promise<boolean> {
  const text = await response.text()
  return text.includes('"access-denied"') && text.includes('x-hasura-admin-secret')
}

type Observe = (call: { operation: string; seconds: number; outcome: string }) => void

/** Wraps `callHasura` to report each call's duration and outcome (`ok` or the error's code). */
export function observeHasuraCalls(observe: Observe): typeof callHasura {
  return async (call, operation, type) => {
    const startedAt = performance.now()
    const report = (outcome: string) =>
      observe({ operation, seconds: (performance.now() - startedAt) / 1_000, outcome })
    try {
      const answer = await callHasura(call, operation, type)
      report('ok')
      return answer
    } catch (error) {
      report(error instanceof ApiError ? error.code : 'internal_error')
      throw error
    }
  }
}

/**
 * Runs a call of the generated SDK. Retries a query once if the connection failed. Never retries a mutation, because
 * Hasura may have run it.
 *
 * @throws unavailable when Hasura or its database cannot be reached
 * @throws validation_error for a value that PostgreSQL rejects, such as a text with a zero byte
 * @throws quota_exceeded
 * @throws team_blocked
 * @throws internal_error for any other error that Hasura reports
 */
export async function callHasura<T>(
  call: () => Promise<T>,
  operation: string,
  type?: string,
): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if (type !== 'query' || error instanceof ClientError)
      throw translateHasuraError(error, operation)
  }
  return call().catch((error: unknown) => {
    throw translateHasuraError(error, operation)
  })
}

/** Hasura's error codes when its database is down, restarting, or out of connections. */
const UNAVAILABLE_CODES = new Set([
  'postgres-error',
  'postgres-max-connections-error',
  'timeout',
  'busy',
  'unexpected',
])

function translateHasuraError(error: unknown, operation: string): ApiError {
  if (!(error instanceof ClientError)) return new ApiError('unavailable', { cause: error })
  const { status, errors } = error.response
  const code = String(errors?.[0]?.extensions?.code)
  // The error itself contains the request's variables, which must not be logged.
  const cause = new Error(`${operation}: ${status} ${code} ${errors?.[0]?.message}`)
  // PostgreSQL rejects a value of the request, for example a text with a zero byte.
  if (code === 'data-exception') return new ApiError('validation_error', { cause })
  const message = errors?.[0]?.message ?? ''
  if (message.startsWith('team_blocked')) return new ApiError('team_blocked', { cause })
  const quota = /^quota_exceeded: (.*)$/.exec(message)
  if (quota) return new ApiError('quota_exceeded', { detail: `Quota: ${quota[1]}.`, cause })
  const isUnavailable = status >= 500 || UNAVAILABLE_CODES.has(code)
  return new ApiError(isUnavailable ? 'unavailable' : 'internal_error', { cause })
}
