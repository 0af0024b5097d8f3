import { z } from 'zod'
import { parseAmount } from './amount.ts'
import type { Pair, Provider, Quote } from './provider.ts'

type Options = {
  /** Of the operation, with whatever else it wants in its query string, such as a key. */
  url: string
  /** What the provider calls each token, by our code. */
  ids: Readonly<Record<string, string>>
  /** For the whole answer. */
  timeoutMs: number
  /** Milliseconds since the epoch. */
  now: () => number
}

/** Tokens by id; their prices by currency in lower case, and when these were made, in Unix seconds. */
const Prices = z.record(z.string(), z.record(z.string(), z.unknown()))

/**
 * A provider with the simple-price operation of the well-known price APIs:
 * `?ids=a,b&vs_currencies=usd,eur` answers `{ a: { usd: 1.5, eur: 1.3, last_updated_at: 1700000000 } }`.
 */
export function simplePrice({ url, ids, timeoutMs, now }: Options): Provider {
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
    return parseExactly(await response.text())
  }

  function quoteOf(pair: Pair, prices: z.infer<typeof Prices>): Quote[] {
    const told = prices[ids[pair.crypto] ?? ''] ?? {}
    const amount = parseAmount(String(told[pair.fiat.toLowerCase()]))
    return amount === null ? [] : [{ ...pair, amount, observedAt: timeOf(told.last_updated_at) }]
  }

  /** A provider that does not say is taken at its word now; one that is ahead of time is not. */
  function timeOf(seconds: unknown): Date {
    const told = seconds === undefined ? now() : Number(seconds) * 1_000
    return new Date(Number.isFinite(told) ? Math.min(told, now()) : 0)
  }
}

/** Numbers stay the text that was sent: as floating-point numbers they would lose digits. */
function parseExactly(text: string): unknown {
  return JSON.parse(text, (_key, value, ...[context]: { source?: string }[]) =>
    typeof value === 'number' ? (context?.source ?? '') : value,
  )
}
