import { encodeFunctionData, type Hex, isAddress } from 'viem'
import { createGroupContract } from '../../lib/chain/group-contract.ts'
import { formatCommandLine } from '../process/format-command-line.ts'
import { abi } from './abi.ts'
import { GROUP_NAMES, type Group } from './group-names.ts'
import { CHAIN_ID, connectLocalChain, sendAsOwner } from './local-chain.ts'

type Publication = { rpcUrl: string; group: Group; root: bigint }

/**
 * Makes `root` the latest root of a group on the local chain. Sends nothing if it is already the latest root.
 *
 * Many processes may publish at the same time: each root is the latest for a while, and then superseded.
 *
 * @returns true if a transaction was sent
 * @throws Error with a message for the user at the terminal
 */
export async function publishRoot({ rpcUrl, group, root }: Publication): Promise<boolean> {
  const chain = await connectLocalChain(rpcUrl)
  const address = await resolveGroupAddress(rpcUrl, GROUP_NAMES[group])
  const contract = { address, abi: abi.groupRoots } as const
  const latest = await chain.readContract({ ...contract, functionName: 'latestRoot' })
  if (latest === root) return false
  const call = { ...contract, functionName: 'publishRoot', args: [root] } as const
  await sendAsOwner(chain, address, encodeFunctionData(call))
  return true
}

async function resolveGroupAddress(rpcUrl: string, name: string): Promise<Hex> {
  const address = await createGroupContract({ rpcUrl, chainId: CHAIN_ID, timeoutMs: 5_000 })
    .resolve(name)
    .catch(() => null)
  if (address && isAddress(address)) return address
  throw new Error(
    `The chain at ${rpcUrl} does not know ${name}. Deploy the contracts with "${formatCommandLine('start')}".`,
  )
}
