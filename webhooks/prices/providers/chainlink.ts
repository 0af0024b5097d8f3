import { createClient, custom, parseAbi } from 'viem'
import { readContract } from 'viem/actions'
import type { JsonRpc } from '../../../lib/chain/json-rpc.ts'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import { divideRounded, PRICE_DECIMALS } from './amount.ts'
import { type Pair, type PriceProvider, pairName, type Quote } from './provider.ts'

export type Feed = {
  address: `0x${string}`
  /** How often the feed is updated if the price does not change. */
  heartbeatSeconds: number
}

type Options = {
  rpc: JsonRpc
  /** The feeds by pair: `WLD/USD`, and `EUR/USD` to convert prices in dollars. */
  feeds: Readonly<Record<string, Feed>>
  /** Milliseconds since the epoch. */
  now: () => number
}

/** The number `value` / 10^`decimals`. */
type Rate = { value: bigint; decimals: number }

const abi = parseAbi([
  'function decimals() view returns (uint8)',
  'function latestRoundData() view returns (uint80, int256, uint256, uint256, uint80)',
])

/** How far the chain's clock may be ahead of our clock. */
const MAX_AHEAD_SECONDS = 60

/**
 * Creates the provider that reads Chainlink's feeds, or feeds with the same interface, from a chain.
 *
 * A feed is updated when the price has changed enough, and at the latest when its heartbeat has passed. So until then, the
 * feed's last answer is the current price. The price of a pair without a feed is computed from two feeds in dollars.
 *
 * @see https://docs.chain.link/data-feeds/api-reference
 */
export function createChainlinkProvider({ rpc, feeds, now }: Options): PriceProvider {
  const client = createClient({ transport: custom(rpc, { retryCount: 0 }) })
  return {
    name: 'chainlink',
    async quote(pairs) {
      const observedAt = new Date(now())
      const rates = await readRates(neededFeeds(pairs))
      return pairs.flatMap((pair) => quotePair(pair, rates, observedAt))
    },
  }

  function neededFeeds(pairs: readonly Pair[]): string[] {
    const names = pairs.flatMap((pair) => [pairName(pair), ...dollarFeeds(pair)])
    return [...new Set(names)].filter((name) => Object.hasOwn(feeds, name))
  }

  /** Reads the feeds, and ignores unreadable feeds unless all are unreadable. */
  async function readRates(names: readonly string[]): Promise<Map<string, Rate>> {
    const answers = await Promise.allSettled(names.map(readNamedRate))
    const failures = answers.filter((answer) => answer.status === 'rejected')
    const [failure]: { reason: unknown }[] = failures
    if (failure && failures.length === answers.length) throw failure.reason
    return new Map(answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : [])))
  }

  /** Returns an empty list if the feed's last answer is out of date, from the future, or not positive. */
  async function readNamedRate(name: string): Promise<[string, Rate][]> {
    const rate = await readRate(requireValue(feeds[name], 'the feed of a pair'))
    return rate ? [[name, rate]] : []
  }

  async function readRate(feed: Feed): Promise<Rate | null> {
    const contract = { address: feed.address, abi } as const
    const [decimals, [round, value, , updatedAt, answeredIn]] = await Promise.all([
      readContract(client, { ...contract, functionName: 'decimals' }),
      readContract(client, { ...contract, functionName: 'latestRoundData' }),
    ])
    const ageSeconds = Math.floor(now() / 1_000) - Number(updatedAt)
    const isCurrent = ageSeconds <= feed.heartbeatSeconds && ageSeconds >= -MAX_AHEAD_SECONDS
    return value > 0n && answeredIn >= round && isCurrent ? { value, decimals } : null
  }
}

/** Returns the names of the dollar feeds of the token and of the currency. */
function dollarFeeds({ crypto, fiat }: Pair): string[] {
  return [`${crypto}/USD`, `${fiat}/USD`]
}

function quotePair(pair: Pair, rates: ReadonlyMap<string, Rate>, observedAt: Date): Quote[] {
  const amount = amountOfPair(pair, rates)
  return amount > 0n ? [{ ...pair, amount, observedAt }] : []
}

const ONE: Rate = { value: 1n, decimals: 0 }

/** Returns the price of a pair, or zero if the feeds for the pair are missing. */
function amountOfPair(pair: Pair, rates: ReadonlyMap<string, Rate>): bigint {
  const directRate = rates.get(pairName(pair))
  if (directRate) return divideRates(directRate, ONE)
  const [dividend, divisor] = dollarFeeds(pair).map((name) => rates.get(name))
  return dividend && divisor ? divideRates(dividend, divisor) : 0n
}

function divideRates(dividend: Rate, divisor: Rate): bigint {
  const scaledDividend = dividend.value * 10n ** BigInt(divisor.decimals + PRICE_DECIMALS)
  return divideRounded(scaledDividend, divisor.value * 10n ** BigInt(dividend.decimals))
}
