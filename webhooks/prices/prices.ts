import { hash } from 'node:crypto'
import { z } from 'zod'
import { ApiError } from '../../lib/runtime/errors.ts'
import type { Operation } from '../../lib/runtime/web/operation.ts'
import { requiredText } from '../route/input-text.ts'
import type { Price, PriceBoard, Prices } from './price-board.ts'
import { pairName } from './providers/provider.ts'

const codes = requiredText
  .transform((text) => text.split(',').map((code) => code.trim()))
  .describe('Codes, separated by commas')

/** Query string of `GET /public/v1/miniapps/prices` (spec 4.2). */
export const PricesInput = z.object({ cryptoCurrencies: codes, fiatCurrencies: codes })

type Input = z.infer<typeof PricesInput>

const Quoted = z.strictObject({
  asset: z.string(),
  amount: z
    .string()
    .regex(/^[1-9]\d*$/)
    .describe('An integer: the price of one unit is amount × 10^-decimals'),
  decimals: z.int(),
  symbol: z.string(),
})

/** Spec 2.14: by the code of the token, then by that of the currency. */
const PricesOutput = z.strictObject({
  result: z.strictObject({
    prices: z.record(z.string(), z.record(z.string(), Quoted)),
  }),
})

export type PricesServices = {
  prices: {
    board: PriceBoard
    /** Every code that may be asked for. */
    cryptos: readonly string[]
    fiats: readonly string[]
    /** Older prices are not given out. */
    maxAgeMs: number
  }
  /** Milliseconds since the epoch. */
  now: () => number
}

/** How long a caller may cache an answer, unless it becomes too old before. */
const MAX_KEPT_SECONDS = 30

/**
 * The latest prices of tokens in currencies, from memory.
 *
 * `Last-Modified` is the time of the oldest of them; `ETag` tells a caller whether they have changed.
 *
 * @returns spec 2.14
 * @throws required, invalid_request for a code that is not one of ours, unavailable when a price is too old
 */
export const prices: Operation<PricesServices, Input> = {
  tag: 'Prices',
  summary: 'The latest prices of tokens',
  answers: { 200: PricesOutput },
  errors: ['required', 'invalid_request', 'unavailable'],
  handle({ prices: { board, cryptos, fiats, maxAgeMs }, now }) {
    return async (input, request, response) => {
      const asked = {
        cryptos: requireKnownCodes(input.cryptoCurrencies, cryptos, 'cryptoCurrencies'),
        fiats: requireKnownCodes(input.fiatCurrencies, fiats, 'fiatCurrencies'),
      }
      const oldest = now() - maxAgeMs
      const found =
        findPrices(asked, await board.read(), oldest) ??
        findPrices(asked, await board.readNow(), oldest)
      if (!found) throw new ApiError('unavailable', { detail: TOO_OLD })
      const observedAt = Math.min(...found.map((price) => price.observedAt))
      const secondsLeft = Math.floor((observedAt - oldest) / 1_000)
      const maxAge = Math.min(secondsLeft, MAX_KEPT_SECONDS)
      response.setHeader('cache-control', `public, max-age=${maxAge}`)
      response.setHeader('last-modified', new Date(observedAt).toUTCString())
      const answer = JSON.stringify({ result: { prices: toPricesOutput(found) } })
      response.setHeader('etag', strongEtag(answer))
      // Another price than the oldest may have changed since.
      request.headers['if-modified-since'] = undefined
      response.type('json').send(answer)
    }
  },
}

const TOO_OLD = 'The price providers do not answer: there is no price that is recent enough.'

function requireKnownCodes(asked: string[], known: readonly string[], attribute: string): string[] {
  if (asked.every((code) => known.includes(code))) return [...new Set(asked)]
  const detail = `Known codes are ${known.join(', ')}.`
  throw new ApiError('invalid_request', { attribute, detail })
}

type Asked = { cryptos: string[]; fiats: string[] }

/** All prices that were asked for; null when one is missing, or older than `oldest`. */
function findPrices({ cryptos, fiats }: Asked, board: Prices, oldest: number): Price[] | null {
  const pairs = cryptos.flatMap((crypto) => fiats.map((fiat) => ({ crypto, fiat })))
  const found = pairs.flatMap((pair) => board.get(pairName(pair)) ?? [])
  const isWhole = found.length === pairs.length
  const isRecent = found.every(({ observedAt }) => observedAt >= oldest)
  return isWhole && isRecent ? found : null
}

function strongEtag(answer: string): string {
  return `"${hash('sha256', answer, 'base64url')}"`
}

function toPricesOutput(found: readonly Price[]) {
  const output: Record<string, Record<string, z.infer<typeof Quoted>>> = {}
  for (const { crypto, fiat, amount, decimals } of found) {
    output[crypto] ??= {}
    output[crypto][fiat] = { asset: fiat, amount, decimals, symbol: fiat }
  }
  return output
}
