import { z } from 'zod'
import type { Log } from '../../lib/runtime/log/log.ts'
import { type Context, jsonOperation } from '../../lib/runtime/web/operation.ts'
import type { Sdk } from '../generated/sdk.ts'
import type { PricesServices } from './prices.ts'
import { type Pair, type PriceProvider, pairName, type Quote } from './providers/provider.ts'

const RefreshOutput = z.strictObject({
  success: z.literal(true),
  refreshed: z.int(),
  missing: z
    .array(z.string())
    .describe('Pairs without a recent price of any provider; their last price is kept'),
})

export type RefreshPricesServices = PricesServices & {
  graphql: Sdk
  /** The providers in order of preference. A provider is asked for the prices that earlier providers do not have. */
  priceProviders: readonly PriceProvider[]
}

type SourcedQuote = Quote & { source: string }

/**
 * Asks the providers for all prices, and stores them. A stored price that is newer stays.
 *
 * @returns the number of stored prices, and the pairs without a recent price
 * @throws unavailable
 */
export const refreshPrices = jsonOperation(
  {
    tag: 'Internal',
    summary: 'Ask the providers for prices',
    output: RefreshOutput,
    errors: ['unavailable'],
  },
  (services: RefreshPricesServices) =>
    async (_input: undefined, { log, requestId }: Context) => {
      const pairs = allPairs(services)
      const quotes = await collectQuotes(pairs, services, log)
      const { store_prices: storedPrices } = await services.graphql.StorePrices(
        { prices: [...quotes.values()].map(toPriceRow) },
        { 'x-request-id': requestId },
      )
      services.prices.board.put(storedPrices)
      const missing = pairs.map(pairName).filter((name) => !quotes.has(name))
      if (missing.length > 0) log.warn({ missing }, 'prices missing')
      return { success: true, refreshed: storedPrices.length, missing } as const
    },
)

function allPairs({ prices: { cryptos, fiats } }: PricesServices): Pair[] {
  return cryptos.flatMap((crypto) => fiats.map((fiat) => ({ crypto, fiat })))
}

async function collectQuotes(pairs: readonly Pair[], services: RefreshPricesServices, log: Log) {
  const quotes = new Map<string, SourcedQuote>()
  for (const provider of services.priceProviders) {
    const missing = pairs.filter((pair) => !quotes.has(pairName(pair)))
    if (missing.length === 0) break
    for (const quote of await askProvider(provider, missing, log))
      if (isRecent(quote, services))
        quotes.set(pairName(quote), { ...quote, source: provider.name })
  }
  return quotes
}

/** Logs only the name of an error: its message may contain the provider's URL with a key. */
async function askProvider(
  provider: PriceProvider,
  pairs: readonly Pair[],
  log: Log,
): Promise<Quote[]> {
  try {
    return await provider.quote(pairs)
  } catch (fault) {
    const reason = fault instanceof Error ? fault.name : 'unknown'
    log.error({ provider: provider.name, reason }, 'prices not read')
    return []
  }
}

/** True if a price is recent enough. If it is not, the next provider is asked. */
function isRecent({ observedAt }: Quote, { prices, now }: RefreshPricesServices): boolean {
  return now() - observedAt.getTime() <= prices.maxAgeMs
}

function toPriceRow({ crypto, fiat, amount, source, observedAt }: SourcedQuote) {
  return { crypto, fiat, amount: String(amount), source, observed_at: observedAt.toISOString() }
}
