import { type Config, ConfigError } from '../../lib/runtime/config.ts'

export type Token = {
  address: `0x${string}`
  /** Of amounts on this chain; amounts in our API always have 6. */
  decimals: number
}

/** A chain that payments are read from. */
export type Chain = {
  name: string
  id: number
  rpcUrl: string
  /** Blocks, its own included, until a transaction is final. */
  confirmations: number
  tokens: Readonly<Record<string, Token>>
}

/** The public chains whose tokens we know; the configuration adds their RPC servers, and other chains. */
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
 * Every chain in the configuration, completed with what is known about it.
 *
 * @throws ConfigError for an unknown chain without a chain_id, and for a chain that has two names
 */
export function configuredChains({ PAYMENT_CHAINS: configured }: Config): Chain[] {
  const chains = completedChains(configured)
  for (const { id, name } of chains) {
    const other = chains.find((chain) => chain.id === id && chain.name !== name)
    // Under each name a transfer could pay for an order.
    if (other) throw new ConfigError(`PAYMENT_CHAINS: ${name} and ${other.name} are one chain.`)
  }
  return chains
}

function completedChains(configured: Config['PAYMENT_CHAINS']): Chain[] {
  return Object.entries(configured).map(([name, given]) => {
    const known: Partial<Chain> = isKnownChain(name) ? KNOWN_CHAINS[name] : {}
    const id = given.chain_id ?? known.id
    if (id === undefined)
      throw new ConfigError(`PAYMENT_CHAINS: ${name} is not known, so it needs its chain_id.`)
    return {
      name,
      id,
      rpcUrl: given.rpc_url,
      confirmations: given.confirmations ?? known.confirmations ?? DEFAULT_CONFIRMATIONS,
      tokens: { ...known.tokens, ...given.tokens },
    }
  })
}

const DEFAULT_CONFIRMATIONS = 30

function isKnownChain(name: string): name is keyof typeof KNOWN_CHAINS {
  return Object.hasOwn(KNOWN_CHAINS, name)
}

/** Decimals of `token_amount`, whatever the token's own are (spec 2.13). */
const AMOUNT_DECIMALS = 6

/**
 * The smallest amount in a token's own units that is worth a `token_amount`.
 *
 * Rounded up for a token with fewer decimals, so that nobody pays less than was asked for.
 */
export function toTokenUnits(tokenAmount: string, { decimals }: Token): bigint {
  const amount = BigInt(tokenAmount)
  if (decimals >= AMOUNT_DECIMALS) return amount * 10n ** BigInt(decimals - AMOUNT_DECIMALS)
  const divisor = 10n ** BigInt(AMOUNT_DECIMALS - decimals)
  return (amount + divisor - 1n) / divisor
}
