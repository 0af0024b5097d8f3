import type { PricesQuery, Sdk } from '../generated/sdk.ts'
import { type Pair, pairName } from './providers/provider.ts'

type Row = PricesQuery['price'][number]

export type Price = Omit<Row, 'observed_at'> & {
  /** Milliseconds since the epoch. */
  observedAt: number
}

export type Prices = ReadonlyMap<string, Price>

export type PriceBoard = {
  /**
   * The last good prices, by the name of their pair (`pairName`); from memory unless they are stale.
   *
   * @throws unavailable when there are none in memory and the table cannot be read
   */
  read(): Promise<Prices>
  /** The same, no older than a second. */
  readNow(): Promise<Prices>
  /** Takes over prices that were stored just now. */
  put(prices: readonly Row[]): void
}

/** Up to this age the board is used as it is. */
const FRESH_MS = 1_000

/** Up to this age it is still shown, while it is read again. */
const STALE_MS = 10_000

type Options = {
  graphql: Pick<Sdk, 'Prices'>
  /** The codes whose prices are on the board. */
  cryptos: string[]
  fiats: string[]
  /** Milliseconds since the epoch. */
  now: () => number
}

/**
 * The table of prices, kept in memory: requests cost no query, and prices that another instance has stored
 * appear here about a second later.
 */
export function createPriceBoard({ graphql, cryptos, fiats, now }: Options): PriceBoard {
  let board: Prices = new Map()
  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | null = null

  return {
    async read() {
      if (board.size === 0 || age() >= STALE_MS) await readAgain()
      else if (age() >= FRESH_MS) void readAgain().catch(() => {})
      return board
    },
    async readNow() {
      if (age() >= FRESH_MS) await readAgain()
      return board
    },
    put(prices) {
      board = new Map([...board, ...keyedByPair(prices)])
    },
  }

  /** An absolute value, since the clock may have been set back. */
  function age(): number {
    return Math.abs(now() - readAt)
  }

  /** Without the table, old prices are better than none: callers check their age. */
  async function readAgain() {
    reading ??= load().finally(() => {
      reading = null
    })
    await reading.catch((error: unknown) => {
      if (board.size === 0) throw error
    })
  }

  async function load() {
    const { price } = await graphql.Prices({ cryptos, fiats })
    board = new Map(keyedByPair(price))
    readAt = now()
  }
}

function keyedByPair(rows: readonly Row[]): [string, Price][] {
  return rows.map(({ observed_at, ...price }) => [
    pairName(price satisfies Pair),
    { ...price, observedAt: Date.parse(observed_at) },
  ])
}
