import {
  concat,
  encodeAbiParameters,
  getContractAddress,
  type Hex,
  keccak256,
  parseAbiParameters,
  stringToHex,
} from 'viem'
import { UNIVERSAL_RESOLVER } from '../../lib/chain/group-contract.ts'
import { contractCodes } from './contract-codes.ts'
import type { Contract } from './contracts.ts'
import { ensureNameRecord, GROUP_NAMES } from './group-names.ts'
import { connectLocalChain, type LocalChain, OWNER, sendAsOwner } from './local-chain.ts'

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

/**
 * The CREATE2 factory that anvil deploys on every chain. It deploys the code that follows the salt in its call data.
 */
const FACTORY = '0x4e59b44847b379578588920cA78FbF26c0B4956C'

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

type ContractCreation = { address: Hex; data: Hex }

function contractCreation(role: string, code: Hex, args: Hex): ContractCreation {
  const salt = keccak256(stringToHex(role))
  const bytecode = concat([code, args])
  const address = getContractAddress({ opcode: 'CREATE2', from: FACTORY, salt, bytecode })
  return { address, data: concat([salt, bytecode]) }
}

async function createContract(
  chain: LocalChain,
  { address, data }: ContractCreation,
): Promise<void> {
  const exists = async () => (await chain.getCode({ address })) !== undefined
  if (await exists()) return
  await sendAsOwner(chain, FACTORY, data).catch(async (error: unknown) => {
    // This deployment fails if another process has deployed the same contract first.
    if (!(await exists())) throw error
  })
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
