import { createJsonRpc } from '../../../lib/chain/json-rpc.ts'
import type { Config } from '../../../lib/runtime/config.ts'
import { chainlink } from './chainlink.ts'
import type { PriceProvider } from './provider.ts'
import { simplePrice } from './simple-price.ts'

/** Makes a provider from the configuration; null when the variables that it needs are not set. */
type MakeProvider = (config: Config, now: () => number) => PriceProvider | null

/**
 * Every price provider that there is, in the order in which they are asked: each for what those before it do
 * not have.
 *
 * How a provider is added:
 * 1. Its variables go into `lib/runtime/config.ts`; `npm run configuration` writes them into docs/operations/configuration.md.
 * 2. A file in this folder makes a `PriceProvider` from them. It asks for all pairs at once, leaves out those
 *    that it does not know, and reads amounts with `parseAmount`, never as floating-point numbers.
 * 3. A row here makes it from the configuration.
 * 4. test/webhooks/prices/sources.test.ts has its answers, good and bad ones.
 */
const PROVIDERS: readonly MakeProvider[] = [configuredSimplePrice, configuredChainlink]

/** The configured providers, in the order in which they are asked. */
export function createPriceProviders(config: Config, now: () => number): PriceProvider[] {
  return PROVIDERS.flatMap((make) => make(config, now) ?? [])
}

function configuredSimplePrice(config: Config, now: () => number): PriceProvider | null {
  const { PRICE_PROVIDER_URL: url, PRICE_IDS: ids, PRICE_TIMEOUT_MS: timeoutMs } = config
  return url === undefined ? null : simplePrice({ url, ids, timeoutMs, now })
}

function configuredChainlink(config: Config, now: () => number): PriceProvider | null {
  if (!config.PRICE_FEEDS) return null
  const { rpc_url, feeds } = config.PRICE_FEEDS
  const rpc = createJsonRpc({
    url: rpc_url,
    timeoutMs: config.PRICE_TIMEOUT_MS,
    batchSize: config.CHAIN_BATCH_SIZE,
    concurrency: config.CHAIN_CONCURRENCY,
  })
  const named = Object.entries(feeds).map(([name, { address, heartbeat_seconds }]) => [
    name,
    { address, heartbeatSeconds: heartbeat_seconds },
  ])
  return chainlink({ rpc, feeds: Object.fromEntries(named), now })
}
