import { z } from 'zod'

/** A Hasura that somebody else started. */
export type OutsideHasura = { endpoint: string; adminSecret: string; internalSecret: string }

const Refused = z.object({ code: z.string() })
const Consistency = z.object({ is_consistent: z.boolean() })
const Answer = z.object({
  data: z.unknown().optional(),
  errors: z.array(z.object({ extensions: z.object({ code: z.string() }).optional() })).default([]),
})

/**
 * Makes sure, before anything is started, that a Hasura can be used: it answers, lets its metadata be read and SQL be run, and
 * serves `hasura/`.
 *
 * @throws Error with a sentence for the person at the terminal, that says what is missing
 */
export async function requireHasura(hasura: OutsideHasura): Promise<void> {
  const name = `Hasura at ${hasura.endpoint}`
  const asked = { type: 'get_inconsistent_metadata', args: {} }
  const { status, body } = await ask(hasura, '/v1/metadata', { body: asked })
  if (Refused.safeParse(body).data?.code === 'access-denied')
    throw new Error(`${name} refuses HASURA_GRAPHQL_ADMIN_SECRET.`)
  const consistency = Consistency.safeParse(body).data
  if (!consistency)
    throw new Error(
      `${name} answers ${status} at /v1/metadata: its HASURA_GRAPHQL_ENABLED_APIS must have metadata and graphql.`,
    )
  const apply = 'apply hasura/ to it, as docs/operations/hasura.md says'
  if (!consistency.is_consistent) throw new Error(`${name} has inconsistent metadata: ${apply}.`)
  const rows = await ask(hasura, '/v1/graphql', { body: { query: '{ app(limit: 1) { id } }' } })
  if (Answer.safeParse(rows.body).data?.data === undefined)
    throw new Error(`${name} does not serve the tables of this project: ${apply}.`)
}

/**
 * Makes sure that a Hasura asks this developer API who sends a request, and calls its actions with the internal secret.
 *
 * @param apiKey any that is valid
 * @throws Error with a sentence for the person at the terminal, that says which variables of Hasura are wrong
 */
export async function requireWayBack(
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
      `${name} does not ask the developer API who sends a request: it needs HASURA_GRAPHQL_AUTH_HOOK=${baseUrl}/hasura/auth and HASURA_GRAPHQL_AUTH_HOOK_MODE=POST.`,
    )
  const stats = await ask(hasura, '/v1/graphql', {
    headers: {
      'x-hasura-admin-secret': hasura.adminSecret,
      'x-hasura-role': 'user',
      'x-hasura-user-id': 'user_none',
    },
    body: { query: STATS_OF_NONE },
  })
  const [error] = Answer.safeParse(stats.body).data?.errors ?? []
  // The action itself says that; who does not reach it, or has the wrong secret, gets another code.
  if (error?.extensions?.code !== 'not_found')
    throw new Error(
      `${name} does not reach the actions of the developer API: it needs WEBHOOKS_URL=${baseUrl}, and INTERNAL_AUTHORIZATION="Bearer …" with the value of INTERNAL_SECRET.`,
    )
}

const STATS_OF_NONE =
  '{ action_stats(action_id: "action_none", from: "2026-01-01", to: "2026-01-02") { persons } }'

/** The address of Hasura's console, if it serves one. */
export async function findConsole({ endpoint }: { endpoint: string }): Promise<string | null> {
  const url = `${endpoint}/console`
  const answer = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
  await answer.body?.cancel()
  return answer.ok ? url : null
}

const TIMEOUT_MS = 10_000

type Question = { headers?: Record<string, string>; body: object }

/** Posts JSON, as the admin unless the headers say otherwise. @returns undefined for a body that is no JSON */
async function ask({ endpoint, adminSecret }: OutsideHasura, path: string, question: Question) {
  const { headers = { 'x-hasura-admin-secret': adminSecret }, body } = question
  const answer = await fetch(endpoint + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((cause: unknown) => {
    throw new Error(`Nothing answers at HASURA_GRAPHQL_ENDPOINT (${endpoint}).`, { cause })
  })
  const json: unknown = await answer.json().catch(() => undefined)
  return { status: answer.status, body: json }
}
