import type { Addresses } from '../../../local/chain/deploy.ts'
import { CHAIN_ID } from '../../../local/chain/local-chain.ts'

type LocalServices = { rpcUrl: string; contracts: Addresses; priceProviderUrl: string }

/** The local chain's feeds are never updated, so their prices stay valid for a year. */
const HEARTBEAT_SECONDS = 31_536_000

/** Returns the developer API's configuration for payments and prices on the local chain. */
export function paymentEnvironment({ rpcUrl, contracts, priceProviderUrl }: LocalServices) {
  const { tokens, feeds } = contracts
  const local = {
    rpc_url: rpcUrl,
    chain_id: CHAIN_ID,
    confirmations: 3,
    tokens: {
      WLD: { address: tokens.wld, decimals: 18 },
      USDCE: { address: tokens.usdce, decimals: 6 },
    },
  }
  const namedFeeds = Object.entries(feeds).map(
    ([name, address]) => [name, { address, heartbeat_seconds: HEARTBEAT_SECONDS }] as const,
  )
  return {
    PAYMENT_CHAINS: JSON.stringify({ local }),
    // The local chain mines each transaction immediately.
    TRANSACTION_MAX_AGE_SECONDS: '1',
    PRICE_PROVIDER_URL: priceProviderUrl,
    PRICE_FEEDS: JSON.stringify({ rpc_url: rpcUrl, feeds: Object.fromEntries<object>(namedFeeds) }),
  }
}
