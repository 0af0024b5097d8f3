/** Codes of a token and of a currency (ISO 4217). */
export type Pair = { crypto: string; fiat: string }

export type Quote = Pair & {
  /** Of one unit, in 10^-6 of the currency. */
  amount: bigint
  /** When this was the price. */
  observedAt: Date
}

/** A source of prices. `providers.ts` says how one is added. */
export type PriceProvider = {
  /** Stored with each of its prices. */
  name: string
  /**
   * The prices that it has; pairs that it does not know are left out.
   *
   * @throws when it does not answer; then the next provider is asked
   */
  quote(pairs: readonly Pair[]): Promise<Quote[]>
}

/** Such as `WLD/USD`. */
export function pairName({ crypto, fiat }: Pair): string {
  return `${crypto}/${fiat}`
}
