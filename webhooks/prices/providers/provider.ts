/** The codes of a token and a currency (ISO 4217). */
export type Pair = { crypto: string; fiat: string }

export type Quote = Pair & {
  /** The price of one unit, in 10^-6 of the currency. */
  amount: bigint
  /** The time of the price. */
  observedAt: Date
}

/** A source of prices. `providers.ts` explains how to add a provider. */
export type PriceProvider = {
  /** The name that is stored with each price. */
  name: string
  /**
   * Returns the prices of the pairs, without pairs that the provider does not know.
   *
   * @throws if the provider does not answer; then the next provider is asked
   */
  quote(pairs: readonly Pair[]): Promise<Quote[]>
}

/** Returns the name of a pair, such as `WLD/USD`. */
export function pairName({ crypto, fiat }: Pair): string {
  return `${crypto}/${fiat}`
}
