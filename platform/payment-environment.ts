import type { Addresses } from '../chain/deploy.ts'
import { CHAIN_ID } from '../chain/local-chain.ts'

type Local = { rpcUrl: string; contracts: Addresses; priceProviderUrl: string }

/** Nobody speaks for the local chain's feeds: what they said first is good for a year. */
const HEARTBEAT_SECONDS = 31_536_000

/** What the developer API is told of payments and prices on the local chain. */
export function paymentEnvironment({ rpcUrl, contracts, priceProviderUrl }: Local) {
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
  const named = Object.entries(feeds).map(([name, address]) => [
    name,
    { address, heartbeat_seconds: HEARTBEAT_SECONDS },
  ])
  return {
    PAYMENT_CHAINS: JSON.stringify({ local }),
    // Its blocks come the moment that something is sent.
    TRANSACTION_MAX_AGE_SECONDS: '1',
    PRICE_PROVIDER_URL: priceProviderUrl,
    PRICE_FEEDS: JSON.stringify({ rpc_url: rpcUrl, feeds: Object.fromEntries(named) }),
  }
}
