import { z } from 'zod'
import type { Log } from '../../lib/runtime/log/log.ts'
import { type Context, jsonOperation } from '../../lib/runtime/web/operation.ts'
import type { Sdk } from '../generated/sdk.ts'
import type { PricesServices } from './prices.ts'
import { type Pair, type PriceProvider, pairName, type Quote } from './providers/provider.ts'

const Refreshed = z.strictObject({
  success: z.literal(true),
  refreshed: z.int(),
  missing: z
    .array(z.string())
    .describe('Pairs for which no provider has a recent price: their last good one is kept'),
})

export type RefreshPricesServices = PricesServices & {
  graphql: Sdk
  /** In order of preference: the next is asked for what the one before does not have. */
  priceProviders: readonly PriceProvider[]
}

type Sourced = Quote & { source: string }

/**
 * Asks the providers for all prices, and stores those that are newer than the table's.
 *
 * @returns how many prices are new, and which pairs have none
 * @throws unavailable
 */
export const refreshPrices = jsonOperation(
  {
    tag: 'Internal',
    summary: 'Ask the providers for prices',
    output: Refreshed,
    errors: ['unavailable'],
  },
  (services: RefreshPricesServices) =>
    async (_input: undefined, { log, requestId }: Context) => {
      const pairs = allPairs(services)
      const quotes = await collectQuotes(pairs, services, log)
      const { store_prices: stored } = await services.graphql.StorePrices(
        { prices: [...quotes.values()].map(toPriceRow) },
        { 'x-request-id': requestId },
      )
      services.prices.board.put(stored)
      const missing = pairs.map(pairName).filter((name) => !quotes.has(name))
      if (missing.length > 0) log.warn({ missing }, 'prices missing')
      return { success: true, refreshed: stored.length, missing } as const
    },
)

function allPairs({ prices: { cryptos, fiats } }: PricesServices): Pair[] {
  return cryptos.flatMap((crypto) => fiats.map((fiat) => ({ crypto, fiat })))
}

async function collectQuotes(pairs: readonly Pair[], services: RefreshPricesServices, log: Log) {
  const quotes = new Map<string, Sourced>()
  for (const provider of services.priceProviders) {
    const missing = pairs.filter((pair) => !quotes.has(pairName(pair)))
    if (missing.length === 0) break
    for (const quote of await askProvider(provider, missing, log))
      if (isRecent(quote, services))
        quotes.set(pairName(quote), { ...quote, source: provider.name })
  }
  return quotes
}

/** Logs only the error's name: its message may hold the provider's URL, and the URL a key. */
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

/** A price that is too old counts as none, so that the next provider is asked. */
function isRecent({ observedAt }: Quote, { prices, now }: RefreshPricesServices): boolean {
  return now() - observedAt.getTime() <= prices.maxAgeMs
}

function toPriceRow({ crypto, fiat, amount, source, observedAt }: Sourced) {
  return { crypto, fiat, amount: String(amount), source, observed_at: observedAt.toISOString() }
}
