import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { batchCalls } from '../runtime/calls/batch-calls.ts'
import { BodyTooLong, readBytes } from '../runtime/http/read-bytes.ts'

export type RpcCall = { method: string; params?: unknown }

/** An EIP-1193 provider for viem's `custom` transport. */
export type JsonRpc = {
  /**
   * Makes a call. Concurrent calls share a request.
   *
   * @returns the raw result of the server
   * @throws RpcError
   */
  request(call: RpcCall): Promise<unknown>
}

type Options = {
  url: string
  /** The timeout of one attempt, until its whole response is read. */
  timeoutMs: number
  /** The most calls in a request. */
  batchSize: number
  /** The most requests at a time; further calls wait. Unlimited by default. */
  concurrency?: number
  /** The most attempts for a request; 3 by default. */
  maxAttempts?: number
}

/** The error object of a JSON-RPC response. An Ethereum node puts the data of a revert into it. */
const Refusal = z.object({ code: z.int(), message: z.string(), data: z.unknown().optional() })

type Refusal = z.infer<typeof Refusal>

/**
 * An error: the server sent an error, or no usable response. The message never contains the server's URL or text, which
 * often contain a key.
 *
 * viem reads `code`, `details` and `data` to recognise a revert. They are getters, so that logs, which print an error's
 * own properties, do not contain them.
 */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly #refusal: Refusal | undefined

  constructor(message: string, refusal?: Refusal) {
    super(message)
    this.#refusal = refusal
  }

  get code(): number | undefined {
    return this.#refusal?.code
  }

  get details(): string | undefined {
    return this.#refusal?.message
  }

  get data(): unknown {
    return this.#refusal?.data
  }
}

/**
 * Creates a client for read-only calls over JSON-RPC. It sends calls in batches, and limits the concurrent requests. It
 * retries after a failed connection, a timeout, an unreadable response, a 429 or a 5xx.
 *
 * Answers are matched to calls by their ids. If an answer is missing, only its call fails. If an id is duplicate or
 * unknown, the whole batch fails.
 *
 * @see https://www.jsonrpc.org/specification
 */
export function createJsonRpc(options: Options): JsonRpc {
  const { batchSize, concurrency = Number.POSITIVE_INFINITY } = options
  const sendBatch = async (calls: readonly RpcCall[]) => {
    const body = calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call }))
    // A single call is not sent as a batch, because some servers do not accept batches.
    const answer = await postWithRetries(
      JSON.stringify(body.length === 1 ? body[0] : body),
      options,
    )
    return matchAnswers(calls, answer)
  }
  const request = batchCalls<RpcCall, Result>(sendBatch, {
    maxBatch: batchSize,
    maxUnderWay: concurrency,
  })
  return {
    async request(call) {
      const { result } = await request(call)
      return result
    },
  }
}

const Answer = z.object({
  id: z.int(),
  result: z.unknown().optional(),
  error: Refusal.optional(),
})

type Result = { result: unknown }

/** Returns the result or the error of each call, in the order of the calls. */
function matchAnswers(calls: readonly RpcCall[], answer: unknown): (Result | RpcError)[] {
  const items: unknown[] = Array.isArray(answer) ? answer : [answer]
  const answers = items.flatMap((item) => Answer.safeParse(item).data ?? [])
  if (answers.length === 0) throw new RpcError('The answer is not JSON-RPC.')
  const byId = new Map(answers.map((item) => [item.id, item]))
  if (byId.size < answers.length || answers.some(({ id }) => !(id in calls)))
    throw new RpcError('The ids of the answers do not match the calls.')
  return calls.map((_call, id) => toResult(byId.get(id)))
}

function toResult(answer: z.infer<typeof Answer> | undefined): Result | RpcError {
  if (!answer) return new RpcError('The server did not answer the call.')
  const { error, result } = answer
  return error
    ? new RpcError(`The server refused the call with code ${error.code}.`, error)
    : { result }
}

/**
 * Posts a batch, with retries. The wait before a retry counts as a running request, so a busy server gets fewer calls.
 */
async function postWithRetries(
  body: string,
  { url, timeoutMs, maxAttempts = 3 }: Options,
): Promise<unknown> {
  for (let attempt = 1; ; attempt++) {
    const outcome = await attemptPost(url, body, timeoutMs)
    if ('answer' in outcome) return outcome.answer
    if (attempt === maxAttempts || !outcome.isWorthRetrying) throw new RpcError(outcome.reason)
    await sleep(outcome.waitMs ?? 100 * 4 ** (attempt - 1))
  }
}

type Outcome =
  | { answer: unknown }
  | { reason: string; isWorthRetrying: boolean; waitMs?: number | undefined }

async function attemptPost(url: string, body: string, timeoutMs: number): Promise<Outcome> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      // A redirect could point to our internal network.
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    if (response.ok)
      return { answer: JSON.parse((await readBytes(response, MAX_ANSWER_BYTES)).toString()) }
    await response.body?.cancel()
    const { status, headers } = response
    const isWorthRetrying = status === 429 || status >= 500
    return {
      reason: `The server answered ${status}.`,
      isWorthRetrying,
      waitMs: retryAfterMs(headers),
    }
  } catch (fault) {
    return { reason: describeRpcFault(fault), isWorthRetrying: true }
  }
}

/** The most bytes of a response. A hundred receipts have some hundred thousand bytes. */
const MAX_ANSWER_BYTES = 50_000_000

/**
 * Returns the wait from `Retry-After` in ms: at most two seconds, because the callers soon run again on their schedule.
 */
function retryAfterMs(headers: Headers): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0) * 1_000, 2_000) : undefined
}

function describeRpcFault(fault: unknown): string {
  if (fault instanceof RpcError) return fault.message
  if (fault instanceof BodyTooLong) return 'The answer is too long.'
  if (fault instanceof SyntaxError) return 'The answer is not JSON.'
  const isLate = fault instanceof Error && fault.name === 'TimeoutError'
  return isLate ? 'The server did not answer in time.' : 'The connection failed.'
}
