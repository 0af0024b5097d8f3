import { concat, encodeAbiParameters, type Hex, parseAbiParameters } from 'viem'
import { UNIVERSAL_RESOLVER } from '../../lib/chain/group-contract.ts'
import { contractCodes } from './contract-codes.ts'
import type { Contract } from './contracts.ts'
import { contractCreation, createContract } from './create-contract.ts'
import { ensureNameRecord, GROUP_NAMES } from './group-names.ts'
import { connectLocalChain, type LocalChain, OWNER } from './local-chain.ts'

export type Addresses = {
  registry: Hex
  resolver: Hex
  universalResolver: Hex
  groups: { production: Hex; staging: Hex }
  tokens: { usdce: Hex; wld: Hex }
  feeds: Record<FeedName, Hex>
}

/**
 * Deploys the contracts and names that are missing on the local chain.
 *
 * A contract's address follows from its code and arguments (CREATE2). So existing contracts are found, and changed
 * code gets a new address.
 *
 * @throws Error with a message for the user at the terminal
 */
export async function deployChain(rpcUrl: string): Promise<Addresses> {
  const chain = await connectLocalChain(rpcUrl)
  const { addresses, creations, universalResolver } = planDeployment(await contractCodes())
  for (const creation of creations) await createContract(chain, creation)
  await placeUniversalResolver(chain, universalResolver)
  for (const group of groups)
    await ensureNameRecord(
      chain,
      { ...addresses, name: GROUP_NAMES[group] },
      addresses.groups[group],
    )
  return addresses
}

const groups = ['production', 'staging'] as const

/** How long the public contract originally considered a superseded root valid. */
const ROOT_HISTORY_EXPIRY_SECONDS = 3600n

const addressParameters = parseAbiParameters('address')
const groupParameters = parseAbiParameters('address, uint256')
const tokenParameters = parseAbiParameters('address, string, string, uint8')
const feedParameters = parseAbiParameters('address, string, uint8, int256')

/** The price feeds and their first answers, with 8 decimals like Chainlink's. */
const FIRST_ANSWERS = {
  'WLD/USD': 93_000_000n,
  'USDCE/USD': 99_980_000n,
  'EUR/USD': 116_000_000n,
}

export type FeedName = keyof typeof FIRST_ANSWERS

function planDeployment(code: Record<Contract, Hex>) {
  const groupArgs = encodeAbiParameters(groupParameters, [OWNER, ROOT_HISTORY_EXPIRY_SECONDS])
  const usdceArgs = encodeAbiParameters(tokenParameters, [OWNER, 'Local USD Coin', 'USDC.e', 6])
  const wldArgs = encodeAbiParameters(tokenParameters, [OWNER, 'Local Worldcoin', 'WLD', 18])
  const registry = contractCreation(
    'registry',
    code.NameRegistry,
    encodeAbiParameters(addressParameters, [OWNER]),
  )
  const registryArg = encodeAbiParameters(addressParameters, [registry.address])
  const resolver = contractCreation('resolver', code.AddressResolver, registryArg)
  const production = contractCreation('production', code.GroupRoots, groupArgs)
  const staging = contractCreation('staging', code.GroupRoots, groupArgs)
  const usdce = contractCreation('usdce', code.Token, usdceArgs)
  const wld = contractCreation('wld', code.Token, wldArgs)
  const feedOf = (name: FeedName) =>
    contractCreation(
      name,
      code.PriceFeed,
      encodeAbiParameters(feedParameters, [OWNER, name, 8, FIRST_ANSWERS[name]]),
    )
  const [wldUsd, usdceUsd, eurUsd] = [feedOf('WLD/USD'), feedOf('USDCE/USD'), feedOf('EUR/USD')]
  const addresses: Addresses = {
    registry: registry.address,
    resolver: resolver.address,
    universalResolver: UNIVERSAL_RESOLVER,
    groups: { production: production.address, staging: staging.address },
    tokens: { usdce: usdce.address, wld: wld.address },
    feeds: {
      'WLD/USD': wldUsd.address,
      'USDCE/USD': usdceUsd.address,
      'EUR/USD': eurUsd.address,
    },
  }
  const tokens = [usdce, wld]
  const feeds = [wldUsd, usdceUsd, eurUsd]
  const creations = [registry, resolver, production, staging, ...tokens, ...feeds]
  return { addresses, creations, universalResolver: concat([code.UniversalResolver, registryArg]) }
}

/**
 * Puts the universal resolver at the same address as on the public chain, so that both chains need the same setting.
 * A deployment cannot choose this address, but on a local chain the code of an address can be set.
 */
async function placeUniversalResolver(chain: LocalChain, creationCode: Hex): Promise<void> {
  const { data: bytecode = '0x' } = await chain.call({ data: creationCode })
  const current = await chain.getCode({ address: UNIVERSAL_RESOLVER })
  if (current === bytecode) return
  await chain.setCode({ address: UNIVERSAL_RESOLVER, bytecode })
}
