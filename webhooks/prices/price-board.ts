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
   * Returns the stored prices by the name of their pair (`pairName`), from memory unless they are stale.
   *
   * @throws unavailable if there are no prices in memory and the table cannot be read
   */
  read(): Promise<Prices>
  /** Like `read`, but reads the table if the memory is older than a second. */
  readFresh(): Promise<Prices>
  /** Adds prices that were just stored. */
  put(prices: readonly Row[]): void
}

/** Up to this age, `read` returns the prices in memory. */
const FRESH_MS = 1_000

/** Up to this age, `read` returns the prices in memory, and reads the table in the background. */
const STALE_MS = 10_000

type Options = {
  graphql: Pick<Sdk, 'Prices'>
  /** The codes of the prices on the board. */
  cryptos: string[]
  fiats: string[]
  /** Milliseconds since the epoch. */
  now: () => number
}

/**
 * Creates a copy of the table of prices in memory, so that most requests cost no query. With frequent requests, a price
 * that another instance stored appears about a second later. After a pause, the copy may be up to ten seconds old.
 */
export function createPriceBoard({ graphql, cryptos, fiats, now }: Options): PriceBoard {
  let board: Prices = new Map()
  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | null = null

  return {
    async read() {
      if (board.size === 0 || age() >= STALE_MS) await readTable()
      else if (age() >= FRESH_MS) void readTable().catch(() => {})
      return board
    },
    async readFresh() {
      if (age() >= FRESH_MS) await readTable()
      return board
    },
    put(prices) {
      board = new Map([...board, ...keyByPair(prices)])
    },
  }

  /** Returns the age of the prices in memory. It is never negative, although the clock may have been set back. */
  function age(): number {
    return Math.abs(now() - readAt)
  }

  /** Reads the table. If that fails, keeps the old prices; callers check how old each price is. */
  async function readTable() {
    reading ??= load().finally(() => {
      reading = null
    })
    await reading.catch((error: unknown) => {
      if (board.size === 0) throw error
    })
  }

  async function load() {
    const { price } = await graphql.Prices({ cryptos, fiats })
    board = new Map(keyByPair(price))
    readAt = now()
  }
}

function keyByPair(rows: readonly Row[]): [string, Price][] {
  return rows.map(({ observed_at, ...price }) => [
    pairName(price satisfies Pair),
    { ...price, observedAt: Date.parse(observed_at) },
  ])
}
