import { z } from 'zod'

/** What a server answered; `body` is undefined where the text is no JSON. */
export type Answered = { status: number; text: string; body: unknown }

/** A running Hasura, or one like it. */
export type GraphqlServer = {
  /** Sends a JSON body to a path as admin, or as headers say. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answered>
}

/** A request to `/v1/graphql`, and the headers of who sends it. */
export type Asking = { headers: Record<string, string>; body: unknown }

/** The server at an address. */
export function serverAt(url: string, adminSecret: string): GraphqlServer {
  return {
    async post(path, body, headers = {}) {
      const response = await fetch(url + path, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-hasura-admin-secret': adminSecret,
          ...headers,
        },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      const text = await response.text()
      return { status: response.status, text, body: parsedJson(text) }
    },
  }
}

/** A server that takes longer does not answer at all. */
const TIMEOUT_MS = 120_000

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const SqlResult = z.object({ result: z.array(z.array(z.string())).nullable() })

/** Runs SQL as the owner of the server's database. @throws Error with the server's answer */
export async function runSqlOn(server: GraphqlServer, sql: string): Promise<string[][]> {
  const args = { source: 'default', sql, check_metadata_consistency: false }
  const { status, text, body } = await server.post('/v2/query', { type: 'run_sql', args })
  const { data } = SqlResult.safeParse(body)
  if (status !== 200 || !data) throw new Error(`run_sql: ${status} ${text.slice(0, 500)}`)
  return data.result?.slice(1) ?? []
}
