import { z } from 'zod'
import type { Project } from './project.ts'

/** The admin's way to a server: this engine, or a Hasura. */
export type ServerConnection = {
  endpoint: string
  /** Sends a command to `/v1/metadata`. @throws ServerError */
  metadata(type: string, args?: object, version?: 1 | 2): Promise<unknown>
  /** Runs SQL on a source, in one transaction. @throws ServerError */
  runSql(source: string, sql: string): Promise<void>
}

/** A server cannot be reached, or refuses; the message says which one and why. */
class ServerError extends Error {
  override readonly name = 'ServerError'
}

/** How long one answer may take: a migration may rewrite a table. */
const TIMEOUT_MS = 600_000

/** Connects to the server that a project names. Nothing is sent yet. @throws ServerError where it names none */
export function connectToServer({
  endpoint,
  adminSecret,
}: Pick<Project, 'endpoint' | 'adminSecret'>): ServerConnection {
  if (!/^https?:$/.test(URL.parse(endpoint)?.protocol ?? ''))
    throw new ServerError(
      `The endpoint ${JSON.stringify(endpoint)} is no address of a server. It is given by --endpoint URL, HASURA_GRAPHQL_ENDPOINT or config.yaml.`,
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
      `${url} cannot be reached: ${describe(cause)}. Is the server running? Another one is named by --endpoint URL.`,
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
    throw new ServerError(`${url} answers something that is not JSON: is it a Hasura?`, { cause })
  }
}

const Refusal = z.looseObject({ error: z.string(), internal: z.unknown().optional() })
const DatabaseFault = z.looseObject({ error: z.looseObject({ message: z.string() }) })

/** What an error's body says, with the database's own words where there are any. */
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
