import { z } from 'zod'
import { parseExactJson } from '../../../lib/runtime/exact-json.ts'
import { parseAmount } from './amount.ts'
import type { Pair, PriceProvider, Quote } from './provider.ts'

type Options = {
  /** The URL of the operation, with other parameters that it needs, such as a key. */
  url: string
  /** The provider's ids of the tokens, by our codes. */
  ids: Readonly<Record<string, string>>
  /** The maximum time until the end of the response. */
  timeoutMs: number
  /** Milliseconds since the epoch. */
  now: () => number
}

/** Prices by token id, then by currency in lower case. A token's `last_updated_at` is the prices' time in Unix seconds. */
const Prices = z.record(z.string(), z.record(z.string(), z.unknown()))

/**
 * Creates a provider that calls the simple-price operation of well-known price APIs:
 * `?ids=a,b&vs_currencies=usd,eur` answers `{ a: { usd: 1.5, eur: 1.3, last_updated_at: 1700000000 } }`.
 */
export function createSimplePriceProvider({ url, ids, timeoutMs, now }: Options): PriceProvider {
  return {
    name: 'simple-price',
    async quote(pairs) {
      const prices = Prices.parse(await ask(pairs))
      return pairs.flatMap((pair) => quoteOf(pair, prices))
    },
  }

  async function ask(pairs: readonly Pair[]): Promise<unknown> {
    const target = new URL(url)
    const cryptos = new Set(pairs.flatMap(({ crypto }) => ids[crypto] ?? []))
    const fiats = new Set(pairs.map(({ fiat }) => fiat.toLowerCase()))
    target.searchParams.set('ids', [...cryptos].join())
    target.searchParams.set('vs_currencies', [...fiats].join())
    target.searchParams.set('include_last_updated_at', 'true')
    target.searchParams.set('precision', 'full')
    const response = await fetch(target, {
      headers: { accept: 'application/json' },
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    if (!response.ok) throw new Error(`status ${response.status}`)
    return parseExactJson(await response.text())
  }

  function quoteOf(pair: Pair, prices: z.infer<typeof Prices>): Quote[] {
    const id = ids[pair.crypto]
    const tokenPrices = id === undefined ? undefined : prices[id]
    if (!tokenPrices) return []
    const amount = parseAmount(String(tokenPrices[pair.fiat.toLowerCase()]))
    const observedAt = timeOf(tokenPrices.last_updated_at)
    return amount === null ? [] : [{ ...pair, amount, observedAt }]
  }

  /** Returns the time. If it is missing or in the future, returns the current time; if malformed, 1970, which is too old. */
  function timeOf(seconds: unknown): Date {
    const ms = seconds === undefined ? now() : Number(seconds) * 1_000
    return new Date(Number.isFinite(ms) ? Math.min(ms, now()) : 0)
  }
}
