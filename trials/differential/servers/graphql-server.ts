import { z } from 'zod'

/** A response of a server; `body` is undefined if the text is not JSON. */
export type ServerResponse = { status: number; text: string; body: unknown }

/** A running Hasura or embedded engine. */
export type GraphqlServer = {
  /** Sends a JSON body to a path as admin, or as the role in the headers. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<ServerResponse>
}

/** The headers and the body of a caller's request. */
export type ServerRequest = { headers: Record<string, string>; body: unknown }

/** Returns a client of the server at a URL. */
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
      return { status: response.status, text, body: parseJsonOrUndefined(text) }
    },
  }
}

/** The longest wait for a response. */
const TIMEOUT_MS = 120_000

function parseJsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const SqlResult = z.object({ result: z.array(z.array(z.string())).nullable() })

/**
 * Runs SQL by the server's command `run_sql`.
 *
 * @returns the rows of the last result, without the column names
 * @throws Error with the server's response
 */
export async function runSqlOn(server: GraphqlServer, sql: string): Promise<string[][]> {
  const args = { source: 'default', sql, check_metadata_consistency: false }
  const { status, text, body } = await server.post('/v2/query', { type: 'run_sql', args })
  const { data } = SqlResult.safeParse(body)
  if (status !== 200 || !data) throw new Error(`run_sql: ${status} ${text.slice(0, 500)}`)
  return data.result?.slice(1) ?? []
}
