import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { shareCalls } from '../share-calls.ts'

export type Call = { method: string; params?: unknown }

export type JsonRpc = {
  /**
   * Makes one call; calls that come together share a request.
   *
   * @returns the result as the server sent it, for the caller to parse
   * @throws RpcError
   */
  request(call: Call): Promise<unknown>
}

type Options = {
  url: string
  /** For one attempt, until the last byte of its answer. There are at most three. */
  timeoutMs: number
  /** Calls in one request, at most. */
  batchSize: number
  /** Requests at a time; further calls wait for their turn. */
  concurrency: number
}

/** No usable answer. The message never has the server's URL, which often holds a key. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
}

/**
 * Makes read-only calls over JSON-RPC: in batches, with a bounded number of requests at a time, and again
 * after a failed connection, a 429 or a 5xx.
 *
 * Answers are matched to calls by their ids, in whatever order they come; a missing answer fails only its
 * own call.
 */
export function jsonRpc({ url, timeoutMs, batchSize, concurrency }: Options): JsonRpc {
  const ask = async (calls: readonly Call[]) => {
    const body = calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call }))
    // A batch size of one suits servers that accept no batches.
    const answer = await post(url, JSON.stringify(body.length === 1 ? body[0] : body), timeoutMs)
    const answers = toAnswers(answer)
    return calls.map((_call, id) => answers.get(id) ?? new RpcError('A call was not answered.'))
  }
  const request = shareCalls<Call, Result>(ask, { maxBatch: batchSize, maxUnderWay: concurrency })
  return {
    async request(call) {
      const { result } = await request(call)
      return result
    },
  }
}

const Answer = z.object({
  id: z.int(),
  result: z.unknown(),
  error: z.object({ code: z.int(), message: z.string() }).optional(),
})

type Result = { result: unknown }

function toAnswers(answer: unknown): Map<number, Result | RpcError> {
  const items = Array.isArray(answer) ? answer : [answer]
  const parsed = items.map((item) => Answer.safeParse(item))
  if (!parsed.some(({ success }) => success)) throw new RpcError('The answer is not JSON-RPC.')
  return new Map(
    parsed.flatMap(({ data }) => {
      if (!data) return []
      const { id, error, result } = data
      return [[id, error ? new RpcError(`refused with code ${error.code}`) : { result }]]
    }),
  )
}

const ATTEMPTS = 3

/** Waits before each retry and keeps its turn meanwhile, so that a server that limits us gets fewer calls. */
async function post(url: string, body: string, timeoutMs: number): Promise<unknown> {
  for (let attempt = 1; ; attempt++) {
    const outcome = await attemptOnce(url, body, timeoutMs)
    if ('answer' in outcome) return outcome.answer
    if (attempt === ATTEMPTS || !outcome.isWorthAnother) throw new RpcError(outcome.reason)
    await pause(outcome.waitMs ?? 100 * 4 ** (attempt - 1))
  }
}

type Outcome =
  | { answer: unknown }
  | { reason: string; isWorthAnother: boolean; waitMs?: number | undefined }

async function attemptOnce(url: string, body: string, timeoutMs: number): Promise<Outcome> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      // A redirect could lead into our own network.
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    if (response.ok) return { answer: JSON.parse(await readText(response)) }
    await response.body?.cancel()
    const { status, headers } = response
    const isWorthAnother = status === 429 || status >= 500
    return { reason: `status ${status}`, isWorthAnother, waitMs: waitOf(headers) }
  } catch (fault) {
    return { reason: reasonOf(fault), isWorthAnother: true }
  }
}

/** Bytes of an answer, at most: a hundred receipts have some hundred thousand. */
const MAX_BYTES = 50_000_000

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    if (length > MAX_BYTES) throw new RpcError('The answer is too long.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** As long as the server asks, but at most two seconds: the next scheduled run comes soon. */
function waitOf(headers: Headers): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0) * 1_000, 2_000) : undefined
}

function reasonOf(fault: unknown): string {
  if (fault instanceof RpcError) return fault.message
  if (fault instanceof SyntaxError) return 'The answer is not JSON.'
  return Object(fault).name === 'TimeoutError' ? 'No answer in time.' : 'The connection failed.'
}
