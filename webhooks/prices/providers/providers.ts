import { createJsonRpc } from '../../../lib/chain/json-rpc.ts'
import type { Config } from '../../../lib/runtime/config.ts'
import { createChainlinkProvider } from './chainlink.ts'
import type { PriceProvider } from './provider.ts'
import { createSimplePriceProvider } from './simple-price.ts'

/** Creates a provider from the configuration, or returns null if the provider's variables are not set. */
type CreateProvider = (config: Config, now: () => number) => PriceProvider | null

/**
 * All price providers, in the order in which they are asked. Each is asked for the prices that earlier providers do not
 * have.
 *
 * To add a provider:
 * 1. Add its variables to `lib/runtime/config.ts`; `npm run configuration` writes them to docs/operations/configuration.md.
 * 2. Add a file in this folder that creates a `PriceProvider`. It must request all pairs at once, leave out unknown
 *    pairs, and read decimal amounts with `parseAmount`, never as floating-point numbers.
 * 3. Add a function here that creates the provider from the configuration.
 * 4. Add its valid and malformed responses to test/webhooks/prices/sources.test.ts.
 */
const PROVIDERS: readonly CreateProvider[] = [simplePriceFromConfig, chainlinkFromConfig]

/** Creates the configured providers, in the order in which they are asked. */
export function createPriceProviders(config: Config, now: () => number): PriceProvider[] {
  return PROVIDERS.flatMap((createProvider) => createProvider(config, now) ?? [])
}

function simplePriceFromConfig(config: Config, now: () => number): PriceProvider | null {
  const { PRICE_PROVIDER_URL: url, PRICE_IDS: ids, PRICE_TIMEOUT_MS: timeoutMs } = config
  return url === undefined ? null : createSimplePriceProvider({ url, ids, timeoutMs, now })
}

function chainlinkFromConfig(config: Config, now: () => number): PriceProvider | null {
  if (!config.PRICE_FEEDS) return null
  const { rpc_url, feeds } = config.PRICE_FEEDS
  const rpc = createJsonRpc({
    url: rpc_url,
    timeoutMs: config.PRICE_TIMEOUT_MS,
    batchSize: config.CHAIN_BATCH_SIZE,
    concurrency: config.CHAIN_CONCURRENCY,
  })
  const feedsByName = Object.entries(feeds).map(([name, { address, heartbeat_seconds }]) => [
    name,
    { address, heartbeatSeconds: heartbeat_seconds },
  ])
  return createChainlinkProvider({ rpc, feeds: Object.fromEntries(feedsByName), now })
}
