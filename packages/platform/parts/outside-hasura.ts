import { z } from 'zod'

/** A Hasura that this process has not started. */
export type OutsideHasura = { endpoint: string; adminSecret: string; internalSecret: string }

const Failure = z.object({ code: z.string() })
const Consistency = z.object({ is_consistent: z.boolean() })
const Answer = z.object({
  data: z.unknown().optional(),
  errors: z.array(z.object({ extensions: z.object({ code: z.string() }).optional() })).default([]),
})

/**
 * Makes sure that a Hasura answers, accepts the admin secret, and serves the tables of `hasura/`.
 *
 * @throws Error that says what is missing
 */
export async function requireHasura(hasura: OutsideHasura): Promise<void> {
  const name = `Hasura at ${hasura.endpoint}`
  const metadataRequest = { type: 'get_inconsistent_metadata', args: {} }
  const { status, body } = await ask(hasura, '/v1/metadata', { body: metadataRequest })
  if (Failure.safeParse(body).data?.code === 'access-denied')
    throw new Error(
      `${name} rejects HASURA_GRAPHQL_ADMIN_SECRET. Set it to that Hasura’s admin secret.`,
    )
  const consistency = Consistency.safeParse(body).data
  if (!consistency)
    throw new Error(
      `${name} answers ${status} at /v1/metadata. Its HASURA_GRAPHQL_ENABLED_APIS must include metadata and graphql.`,
    )
  const apply = 'apply hasura/ to it, as docs/operations/hasura.md says'
  if (!consistency.is_consistent) throw new Error(`${name} has inconsistent metadata: ${apply}.`)
  const rows = await ask(hasura, '/v1/graphql', { body: { query: '{ app(limit: 1) { id } }' } })
  if (Answer.safeParse(rows.body).data?.data === undefined)
    throw new Error(`${name} does not serve the tables of this project: ${apply}.`)
}

/**
 * Makes sure that a Hasura authenticates callers with this developer API and calls its actions with the internal secret.
 *
 * @param apiKey any valid API key
 * @throws Error that names the variables of Hasura to correct
 */
export async function requireCallsFromHasura(
  hasura: OutsideHasura,
  baseUrl: string,
  apiKey: string,
): Promise<void> {
  const name = `Hasura at ${hasura.endpoint}`
  const team = await ask(hasura, '/v1/graphql', {
    headers: { authorization: `Bearer ${apiKey}` },
    body: { query: '{ team { id } }' },
  })
  if (Answer.safeParse(team.body).data?.data === undefined)
    throw new Error(
      `${name} does not authenticate callers with the developer API. Set its HASURA_GRAPHQL_AUTH_HOOK=${baseUrl}/hasura/auth and HASURA_GRAPHQL_AUTH_HOOK_MODE=POST.`,
    )
  const stats = await ask(hasura, '/v1/graphql', {
    headers: {
      'x-hasura-admin-secret': hasura.adminSecret,
      'x-hasura-role': 'user',
      'x-hasura-user-id': 'user_none',
    },
    body: { query: MISSING_ACTION_STATS },
  })
  const [error] = Answer.safeParse(stats.body).data?.errors ?? []
  // This code comes from the action itself. If the action cannot be reached, or the secret is wrong, the code is another one.
  if (error?.extensions?.code !== 'not_found')
    throw new Error(
      `${name} does not reach the actions of the developer API. Set its WEBHOOKS_URL=${baseUrl}, and INTERNAL_AUTHORIZATION="Bearer …" with the value of INTERNAL_SECRET.`,
    )
}

const MISSING_ACTION_STATS =
  '{ action_stats(action_id: "action_none", from: "2026-01-01", to: "2026-01-02") { persons } }'

/** Returns the address of Hasura's console; null if the console is off. */
export async function findConsole({ endpoint }: { endpoint: string }): Promise<string | null> {
  const url = `${endpoint}/console`
  const answer = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
  await answer.body?.cancel()
  return answer.ok ? url : null
}

const TIMEOUT_MS = 10_000

type PostOptions = { headers?: Record<string, string>; body: object }

/** Posts JSON, by default as admin. The returned body is undefined if it is not JSON. */
async function ask({ endpoint, adminSecret }: OutsideHasura, path: string, options: PostOptions) {
  const { headers = { 'x-hasura-admin-secret': adminSecret }, body } = options
  const answer = await fetch(endpoint + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((cause: unknown) => {
    throw new Error(
      `HASURA_GRAPHQL_ENDPOINT (${endpoint}) does not answer. Start that Hasura, or correct the address.`,
      { cause },
    )
  })
  const json: unknown = await answer.json().catch(() => undefined)
  return { status: answer.status, body: json }
}
