/** Codes of a token and of a currency (ISO 4217). */
export type Pair = { crypto: string; fiat: string }

export type Quote = Pair & {
  /** Of one unit, in 10^-6 of the currency. */
  amount: bigint
  /** Of when the price is. */
  observedAt: Date
}

/** Somebody who knows prices. */
export type Provider = {
  name: string
  /**
   * The prices that it has; what it does not know is left out.
   *
   * @throws when it cannot be asked
   */
  quote(pairs: readonly Pair[]): Promise<Quote[]>
}

export function nameOf({ crypto, fiat }: Pair): string {
  return `${crypto}/${fiat}`
}
