import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { batchCalls } from '../runtime/calls/batch-calls.ts'
import { BodyTooLong, readBytes } from '../runtime/http/read-bytes.ts'

export type RpcCall = { method: string; params?: unknown }

/** What viem calls an EIP-1193 provider: its `custom` transport takes it as it is. */
export type JsonRpc = {
  /**
   * Makes one call; calls that come together share a request.
   *
   * @returns the result as the server sent it, for the caller to parse
   * @throws RpcError
   */
  request(call: RpcCall): Promise<unknown>
}

type Options = {
  url: string
  /** For one attempt, until the last byte of its answer. */
  timeoutMs: number
  /** Calls in one request, at most. */
  batchSize: number
  /** Requests at a time; further calls wait for their turn. Unlimited by default. */
  concurrency?: number
  /** How often a request is sent, at most, while connections fail or the server answers 429 or 5xx. */
  maxAttempts?: number
}

/** The error object of a JSON-RPC response: an Ethereum node puts the data of a revert into it. */
const Refusal = z.object({ code: z.int(), message: z.string(), data: z.unknown().optional() })

type Refusal = z.infer<typeof Refusal>

/**
 * No usable answer. The message never has the server's URL or its own words, which often hold a key.
 *
 * viem reads `code`, `details` and `data` to tell a revert from other refusals. As getters of the class they
 * are not written into logs, which print an error's own properties.
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
 * A client that makes read-only calls over JSON-RPC: in batches, with a bounded number of requests at a time,
 * and again after a failed connection, a 429 or a 5xx.
 *
 * Answers are matched to calls by their ids, in whatever order they come. A missing answer fails only its own
 * call; an id that occurs twice, or that no call has, fails the whole batch.
 *
 * @see https://www.jsonrpc.org/specification
 */
export function createJsonRpc(options: Options): JsonRpc {
  const { batchSize, concurrency = Number.POSITIVE_INFINITY } = options
  const sendBatch = async (calls: readonly RpcCall[]) => {
    const body = calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call }))
    // A single call is not sent as a batch, because some servers accept none.
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

/** The result or error of each call, in the order of the calls. */
function matchAnswers(calls: readonly RpcCall[], answer: unknown): (Result | RpcError)[] {
  const items: unknown[] = Array.isArray(answer) ? answer : [answer]
  const answers = items.flatMap((item) => Answer.safeParse(item).data ?? [])
  if (answers.length === 0) throw new RpcError('The answer is not JSON-RPC.')
  const byId = new Map(answers.map((one) => [one.id, one]))
  if (byId.size < answers.length || answers.some(({ id }) => !(id in calls)))
    throw new RpcError('The ids of the answers are not those of the calls.')
  return calls.map((_call, id) => toResult(byId.get(id)))
}

function toResult(answer: z.infer<typeof Answer> | undefined): Result | RpcError {
  if (!answer) return new RpcError('The call was not answered.')
  const { error, result } = answer
  return error ? new RpcError(`The call was refused with code ${error.code}.`, error) : { result }
}

/** Waits before each retry and keeps its turn meanwhile, so that a server that limits us gets fewer calls. */
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
      // A redirect could lead into our own network.
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

/** The largest answer that is read: a hundred receipts take some hundred thousand bytes. */
const MAX_ANSWER_BYTES = 50_000_000

/** As long as the server asks, but at most two seconds: the next scheduled run comes soon. */
function retryAfterMs(headers: Headers): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0) * 1_000, 2_000) : undefined
}

function describeRpcFault(fault: unknown): string {
  if (fault instanceof RpcError) return fault.message
  if (fault instanceof BodyTooLong) return 'The answer is too long.'
  if (fault instanceof SyntaxError) return 'The answer is not JSON.'
  const isLate = fault instanceof Error && fault.name === 'TimeoutError'
  return isLate ? 'No answer in time.' : 'The connection failed.'
}
