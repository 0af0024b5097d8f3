import type { Config } from '../../lib/runtime/config.ts'
import { ConfigError } from '../../lib/runtime/config-error.ts'

export type Token = {
  address: `0x${string}`
  /** The decimals of the token's amounts on this chain. Amounts in our API always have 6. */
  decimals: number
}

/** A chain that payments are read from. */
export type Chain = {
  name: string
  id: number
  rpcUrl: string
  /** The number of blocks until a transaction is final, including the block of the transaction. */
  confirmations: number
  tokens: Readonly<Record<string, Token>>
}

/** Public chains with their tokens. The configuration adds the RPC servers and more chains. */
const KNOWN_CHAINS = {
  worldchain: {
    id: 480,
    confirmations: 30,
    tokens: {
      WLD: { address: '0x2cFc85d8E48F8EAB294be644d9E25C3030863003', decimals: 18 },
      USDCE: { address: '0x79A02482A880bCE3F13e09Da970dC34db4CD24d1', decimals: 6 },
    },
  },
  optimism: {
    id: 10,
    confirmations: 30,
    tokens: {
      WLD: { address: '0xdC6fF44d5d932Cbd77B52E5612Ba0529DC6226F1', decimals: 18 },
      USDCE: { address: '0x7F5c764cBc14f9669B88837ca1490cCa17c31607', decimals: 6 },
    },
  },
} as const satisfies Record<string, Omit<Chain, 'name' | 'rpcUrl'>>

/**
 * Returns every chain of the configuration, completed from `KNOWN_CHAINS`.
 *
 * @throws ConfigError for an unknown chain without a chain_id, and for a chain with two names
 */
export function readChains({ PAYMENT_CHAINS: settings }: Config): Chain[] {
  const chains = completeChains(settings)
  for (const { id, name } of chains) {
    const duplicate = chains.find((chain) => chain.id === id && chain.name !== name)
    // With two names, one transfer could pay for two orders.
    if (duplicate)
      throw new ConfigError(
        `PAYMENT_CHAINS: ${name} and ${duplicate.name} must not both have the chain id ${id}.`,
      )
  }
  return chains
}

function completeChains(settings: Config['PAYMENT_CHAINS']): Chain[] {
  return Object.entries(settings).map(([name, setting]) => {
    const defaults: Partial<Chain> = isKnownChain(name) ? KNOWN_CHAINS[name] : {}
    const id = setting.chain_id ?? defaults.id
    if (id === undefined)
      throw new ConfigError(`PAYMENT_CHAINS: ${name} is not a known chain; add its chain_id.`)
    return {
      name,
      id,
      rpcUrl: setting.rpc_url,
      confirmations: setting.confirmations ?? defaults.confirmations ?? DEFAULT_CONFIRMATIONS,
      tokens: { ...defaults.tokens, ...setting.tokens },
    }
  })
}

const DEFAULT_CONFIRMATIONS = 30

function isKnownChain(name: string): name is keyof typeof KNOWN_CHAINS {
  return Object.hasOwn(KNOWN_CHAINS, name)
}

/** Decimals of `token_amount` for every token (spec 2.13). */
const AMOUNT_DECIMALS = 6

/**
 * Converts a `token_amount` to the units of a token. Rounds up for a token with fewer decimals, so that no payment is
 * less than the price.
 */
export function toTokenUnits(tokenAmount: string, { decimals }: Token): bigint {
  const amount = BigInt(tokenAmount)
  if (decimals >= AMOUNT_DECIMALS) return amount * 10n ** BigInt(decimals - AMOUNT_DECIMALS)
  const divisor = 10n ** BigInt(AMOUNT_DECIMALS - decimals)
  return (amount + divisor - 1n) / divisor
}
