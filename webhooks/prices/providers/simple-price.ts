import { z } from 'zod'
import { parseExactJson } from '../../../lib/runtime/exact-json.ts'
import { parseAmount } from './amount.ts'
import type { Pair, PriceProvider, Quote } from './provider.ts'

type Options = {
  /** The URL of the operation, with whatever else its query string needs, such as a key. */
  url: string
  /** The provider's id of each token, by our code. */
  ids: Readonly<Record<string, string>>
  /** Until the end of the answer. */
  timeoutMs: number
  /** Milliseconds since the epoch. */
  now: () => number
}

/** By token id: prices by lower-case currency, and their time in Unix seconds as `last_updated_at`. */
const Prices = z.record(z.string(), z.record(z.string(), z.unknown()))

/**
 * A provider with the simple-price operation that well-known price APIs have:
 * `?ids=a,b&vs_currencies=usd,eur` answers `{ a: { usd: 1.5, eur: 1.3, last_updated_at: 1700000000 } }`.
 */
export function simplePrice({ url, ids, timeoutMs, now }: Options): PriceProvider {
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
    const quoted = id === undefined ? undefined : prices[id]
    if (!quoted) return []
    const amount = parseAmount(String(quoted[pair.fiat.toLowerCase()]))
    return amount === null ? [] : [{ ...pair, amount, observedAt: timeOf(quoted.last_updated_at) }]
  }

  /** Now when the provider gives no time, or one in the future; 1970, so too old, when it is not a number. */
  function timeOf(seconds: unknown): Date {
    const ms = seconds === undefined ? now() : Number(seconds) * 1_000
    return new Date(Number.isFinite(ms) ? Math.min(ms, now()) : 0)
  }
}
