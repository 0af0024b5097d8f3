import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { readBytes } from '../../../../lib/runtime/http/read-bytes.ts'

const TIMEOUT_MS = 60_000
const LONGEST_BODY = 64 * 1024 * 1024
const FIRST_DELAY_MS = 500
const LONGEST_DELAY_MS = 30_000
const TRIES = 7

/** The codes of errors that the same request would get again. */
const LASTING_CODES = new Set([
  'access-denied',
  'constraint-violation',
  'data-exception',
  'invalid-headers',
  'invalid-jwt',
  'not-exists',
  'parse-failed',
  'permission-error',
  'validation-failed',
])

const Answer = z.object({
  data: z.unknown().optional(),
  errors: z
    .array(z.object({ message: z.string(), extensions: z.object({ code: z.string() }).optional() }))
    .optional(),
})

/** The error of a GraphQL server that a retry would get again. */
export class RefusedOperation extends Error {}

export type GraphqlServer = { name: string; url: string; headers: Record<string, string> }

/**
 * Sends one GraphQL operation, and returns its data. Retries for about a minute if the server does not respond, is too busy or
 * has an error of its own. So the operation must be one that may run twice.
 */
export async function callGraphql<T>(
  server: GraphqlServer,
  operation: { query: string; variables: object; data: z.ZodType<T> },
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return operation.data.parse(await sendOnce(server, operation))
    } catch (fault) {
      if (fault instanceof RefusedOperation || fault instanceof z.ZodError || attempt === TRIES)
        throw describeFault(server, fault)
      const delay = fault instanceof Busy ? fault.retryAfterMs : 0
      await wait(Math.min(Math.max(delay, FIRST_DELAY_MS * 2 ** (attempt - 1)), LONGEST_DELAY_MS))
    }
  }
}

/** An error that a later request may not get. */
class Busy extends Error {
  readonly retryAfterMs: number

  constructor(message: string, retryAfterMs = 0) {
    super(message)
    this.retryAfterMs = retryAfterMs
  }
}

async function sendOnce(
  server: GraphqlServer,
  { query, variables }: { query: string; variables: object },
): Promise<unknown> {
  const response = await fetch(server.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...server.headers },
    body: JSON.stringify({ query, variables }),
    // A redirect could send the key to another server.
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  const text = (await readBytes(response, LONGEST_BODY)).toString('utf8')
  const { status } = response
  if (status === 429 || status >= 500)
    throw new Busy(
      `the status is ${status}`,
      Number(response.headers.get('retry-after') ?? 0) * 1_000 || 0,
    )
  if (status >= 300 && status < 400)
    throw new RefusedOperation(
      `the server redirects to ${response.headers.get('location')}; pass this address as an option instead`,
    )
  const answer = Answer.safeParse(parseAnswer(text)).data
  if (status !== 200 || answer === undefined)
    throw new RefusedOperation(`the status is ${status}, and the body ${text.slice(0, 300)}`)
  const [error] = answer.errors ?? []
  if (error === undefined) return answer.data
  if (LASTING_CODES.has(error.extensions?.code ?? 'validation-failed'))
    throw new RefusedOperation(error.message)
  throw new Busy(error.message)
}

function describeFault(server: GraphqlServer, fault: unknown): Error {
  const cause = fault instanceof Error ? (fault.cause ?? fault) : fault
  const reason = cause instanceof Error ? cause.message : String(cause)
  const ErrorType = fault instanceof RefusedOperation ? RefusedOperation : Error
  return new ErrorType(`${server.name} at ${server.url}: ${reason}`, { cause: fault })
}

function parseAnswer(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
