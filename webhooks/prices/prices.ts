import { hash } from 'node:crypto'
import { z } from 'zod'
import { ApiError } from '../../lib/runtime/errors.ts'
import type { Operation } from '../../lib/runtime/web/operation.ts'
import { requiredText } from '../route/input-text.ts'
import type { Price, PriceBoard, Prices } from './price-board.ts'
import { pairName } from './providers/provider.ts'

const codeList = requiredText
  .transform((text) => text.split(',').map((code) => code.trim()))
  .describe('Codes, separated by commas')

/** The query string of `GET /public/v1/miniapps/prices` (spec 4.2). */
export const PricesInput = z.object({ cryptoCurrencies: codeList, fiatCurrencies: codeList })

type Input = z.infer<typeof PricesInput>

const PriceOutput = z.strictObject({
  asset: z.string(),
  amount: z
    .string()
    .regex(/^[1-9]\d*$/)
    .describe('An integer: the price of one unit is amount × 10^-decimals'),
  decimals: z.int(),
  symbol: z.string(),
})

/** The response (spec 2.14): prices by the code of the token, then by the code of the currency. */
const PricesOutput = z.strictObject({
  result: z.strictObject({
    prices: z.record(z.string(), z.record(z.string(), PriceOutput)),
  }),
})

export type PricesServices = {
  prices: {
    board: PriceBoard
    /** The codes that callers may request. */
    cryptos: readonly string[]
    fiats: readonly string[]
    /** Older prices are not returned. */
    maxAgeMs: number
  }
  /** Milliseconds since the epoch. */
  now: () => number
}

/** How long a caller may cache a response, unless a price becomes too old earlier. */
const MAX_CACHED_SECONDS = 30

/**
 * Returns the latest prices of tokens in currencies, from memory if they are recent.
 *
 * `Last-Modified` is the time of the oldest price in the response. `ETag` changes if any price changes.
 *
 * @returns spec 2.14
 * @throws required, invalid_request for an unknown code, unavailable if a price is missing or too old
 */
export const prices: Operation<PricesServices, Input> = {
  tag: 'Prices',
  summary: 'The latest prices of tokens',
  answers: { 200: PricesOutput },
  errors: ['required', 'invalid_request', 'unavailable'],
  handle({ prices: { board, cryptos, fiats, maxAgeMs }, now }) {
    return async (input, request, response) => {
      const codes = {
        cryptos: requireKnownCodes(input.cryptoCurrencies, cryptos, 'cryptoCurrencies'),
        fiats: requireKnownCodes(input.fiatCurrencies, fiats, 'fiatCurrencies'),
      }
      const oldest = now() - maxAgeMs
      const latest =
        findPrices(codes, await board.read(), oldest) ??
        findPrices(codes, await board.readFresh(), oldest)
      if (!latest) throw new ApiError('unavailable', { detail: TOO_OLD })
      const observedAt = Math.min(...latest.map((price) => price.observedAt))
      const secondsLeft = Math.floor((observedAt - oldest) / 1_000)
      const maxAge = Math.min(secondsLeft, MAX_CACHED_SECONDS)
      response.setHeader('cache-control', `public, max-age=${maxAge}`)
      response.setHeader('last-modified', new Date(observedAt).toUTCString())
      const answer = JSON.stringify({ result: { prices: toPricesOutput(latest) } })
      response.setHeader('etag', strongEtag(answer))
      // A change of another price may leave the oldest price's time, `Last-Modified`, as it is. So only `ETag` counts.
      request.headers['if-modified-since'] = undefined
      response.type('json').send(answer)
    }
  },
}

const TOO_OLD = 'A price is missing or too old: no price provider has returned a recent price.'

function requireKnownCodes(
  codes: string[],
  knownCodes: readonly string[],
  attribute: string,
): string[] {
  if (codes.every((code) => knownCodes.includes(code))) return [...new Set(codes)]
  const detail = `Must be codes among ${knownCodes.join(', ')}.`
  throw new ApiError('invalid_request', { attribute, detail })
}

type Codes = { cryptos: string[]; fiats: string[] }

/** Finds the prices of all pairs. Returns null if a price is missing, or older than `oldest`. */
function findPrices({ cryptos, fiats }: Codes, board: Prices, oldest: number): Price[] | null {
  const pairs = cryptos.flatMap((crypto) => fiats.map((fiat) => ({ crypto, fiat })))
  const candidates = pairs.flatMap((pair) => board.get(pairName(pair)) ?? [])
  const isComplete = candidates.length === pairs.length
  const isRecent = candidates.every(({ observedAt }) => observedAt >= oldest)
  return isComplete && isRecent ? candidates : null
}

function strongEtag(answer: string): string {
  return `"${hash('sha256', answer, 'base64url')}"`
}

function toPricesOutput(latest: readonly Price[]) {
  const output: Record<string, Record<string, z.infer<typeof PriceOutput>>> = {}
  for (const { crypto, fiat, amount, decimals } of latest) {
    output[crypto] ??= {}
    output[crypto][fiat] = { asset: fiat, amount, decimals, symbol: fiat }
  }
  return output
}
