import { jsonRpc } from '../../../lib/chain/json-rpc.ts'
import type { Config } from '../../../lib/config.ts'
import { chainlink } from './chainlink.ts'
import type { Provider } from './provider.ts'
import { simplePrice } from './simple-price.ts'

/** The configured providers, in the order in which they are asked. */
export function providersOf(config: Config, now: () => number): Provider[] {
  const { PRICE_PROVIDER_URL: url, PRICE_FEEDS: onChain } = config
  return [
    ...(url
      ? [simplePrice({ url, ids: config.PRICE_IDS, timeoutMs: config.PRICE_TIMEOUT_MS, now })]
      : []),
    ...(onChain ? [feedsOf(onChain, config, now)] : []),
  ]
}

type OnChain = NonNullable<Config['PRICE_FEEDS']>

function feedsOf({ rpc_url, feeds }: OnChain, config: Config, now: () => number): Provider {
  const rpc = jsonRpc({
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
