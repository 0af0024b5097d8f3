import { z } from 'zod'
import type { Project } from './project.ts'

/** A connection with admin's permissions to a server: to this engine, or to Hasura. */
export type ServerConnection = {
  endpoint: string
  /** Sends a command to `/v1/metadata`. @throws ServerError */
  metadata(type: string, args?: object, version?: 1 | 2): Promise<unknown>
  /** Runs SQL on a source, in one transaction. @throws ServerError */
  runSql(source: string, sql: string): Promise<void>
}

/** The error for a server that cannot be reached or rejects a request. The message has the address and the reason. */
class ServerError extends Error {
  override readonly name = 'ServerError'
}

/** The time limit of a request. A migration may rewrite a large table. */
const TIMEOUT_MS = 600_000

/** Prepares a connection to the project's server. Sends nothing yet. @throws ServerError if the endpoint is not an HTTP address */
export function connectToServer({
  endpoint,
  adminSecret,
}: Pick<Project, 'endpoint' | 'adminSecret'>): ServerConnection {
  if (!/^https?:$/.test(URL.parse(endpoint)?.protocol ?? ''))
    throw new ServerError(
      `The endpoint must be an http or https address; got ${JSON.stringify(endpoint)}. Set it with --endpoint URL, HASURA_GRAPHQL_ENDPOINT or config.yaml.`,
    )
  const send = (path: string, body: object) => sendAsAdmin(endpoint + path, body, adminSecret)
  return {
    endpoint,
    metadata: (type, args = {}, version = 1) => send('/v1/metadata', { type, version, args }),
    async runSql(source, sql) {
      await send('/v2/query', { type: 'run_sql', args: { source, sql, cascade: true } })
    },
  }
}

async function sendAsAdmin(url: string, body: object, adminSecret: string | undefined) {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(adminSecret && { 'x-hasura-admin-secret': adminSecret }),
    },
    body: JSON.stringify(body),
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((cause: unknown) => {
    throw new ServerError(
      `Cannot reach ${url}: ${describe(cause)}. Start the server, or choose another server with --endpoint URL.`,
      { cause },
    )
  })
  const text = await response.text()
  if (response.ok) return parseJson(url, text)
  throw new ServerError(`${url} answered ${response.status}: ${refusalIn(text)}`)
}

function describe(cause: unknown): string {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
  return inner instanceof Error ? inner.message || inner.name : String(inner)
}

function parseJson(url: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new ServerError(`The response of ${url} is not JSON. Is this a Hasura server?`, { cause })
  }
}

const Refusal = z.looseObject({ error: z.string(), internal: z.unknown().optional() })
const DatabaseFault = z.looseObject({ error: z.looseObject({ message: z.string() }) })

/** Returns the message in the body of an error response, with PostgreSQL's message if there is one. */
function refusalIn(text: string): string {
  const refusal = Refusal.safeParse(jsonIn(text))
  if (!refusal.success) return text.slice(0, 500)
  const fault = DatabaseFault.safeParse(refusal.data.internal)
  return fault.success ? `${refusal.data.error}: ${fault.data.error.message}` : refusal.data.error
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
