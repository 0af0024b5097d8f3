import { ClientError, GraphQLClient } from 'graphql-request'
import { ApiError } from '../errors.ts'
import type { Secrets } from '../secrets/secret.ts'
import { createKeepAliveFetch, type Fetch } from './keep-alive-fetch.ts'

type Options = { endpoint: string; adminSecrets: Secrets; timeoutMs: number }

/** A client of Hasura's GraphQL API in the role `service`. */
export function createHasuraClient({ endpoint, adminSecrets, timeoutMs }: Options): GraphQLClient {
  const send = createKeepAliveFetch(timeoutMs)
  return new GraphQLClient(`${endpoint}/v1/graphql`, {
    headers: { 'x-hasura-admin-secret': adminSecrets[0], 'x-hasura-role': 'service' },
    // Each document holds one named operation, so it need not be parsed again for its name.
    excludeOperationName: true,
    fetch: adminSecrets.length === 1 ? send : tryEachSecret(adminSecrets, send),
  })
}

/**
 * Sends a call again with the next secret when Hasura, which has only one, refuses this one. A refused call
 * was not carried out, so mutations are safe too. Each secret has two tries: while it is being changed, instances of Hasura
 * with the old one and with the new one answer side by side, perhaps in turns; backwards the second time, so that turns cannot
 * refuse all of them.
 */
function tryEachSecret(secrets: Secrets, send: Fetch): Fetch {
  let known = secrets[0]
  return async (url, init) => {
    const headers = new Headers(init?.headers)
    const order = [known, ...secrets.filter((secret) => secret !== known)]
    const tries = [...order, ...order.toReversed()]
    for (const [index, secret] of tries.entries()) {
      headers.set('x-hasura-admin-secret', secret)
      const response = await send(url, { ...init, headers })
      if (index < tries.length - 1 && (await isSecretRefused(response))) continue
      known = secret
      return response
    }
    throw new TypeError('There is no secret.')
  }
}

async function isSecretRefused(response: Response): Promise<boolean> {
  const text = await response.text()
  return text.includes('"access-denied"') && text.includes('x-hasura-admin-secret')
}

type Observe = (call: { operation: string; seconds: number; outcome: string }) => void

/** `callHasura`, with each call's duration and outcome (`ok` or the error's code) reported to `observe`. */
export function observedHasuraCalls(observe: Observe): typeof callHasura {
  return async (call, operation, type) => {
    const started = performance.now()
    const report = (outcome: string) =>
      observe({ operation, seconds: (performance.now() - started) / 1_000, outcome })
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
 * Wraps each call of the generated SDK: a read is tried once more when the connection failed, a
 * mutation never is, since it may have been carried out.
 *
 * @throws unavailable when Hasura or its database cannot be reached
 * @throws validation_error for a text that PostgreSQL cannot store
 * @throws quota_exceeded
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
  // Not the error itself: it carries the request's variables, which do not belong in logs.
  const cause = new Error(`${operation}: ${status} ${code} ${errors?.[0]?.message}`)
  // A text that PostgreSQL cannot store, such as one with a zero byte, so no row can match it either.
  if (code === 'data-exception') return new ApiError('validation_error', { cause })
  const quota = /^quota_exceeded: (.*)$/.exec(errors?.[0]?.message ?? '')
  if (quota) return new ApiError('quota_exceeded', { detail: `Quota: ${quota[1]}.`, cause })
  const away = status >= 500 || UNAVAILABLE_CODES.has(code)
  return new ApiError(away ? 'unavailable' : 'internal_error', { cause })
}
