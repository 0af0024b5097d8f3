import { encodeFunctionData, type Hex, isAddressEqual, labelhash, namehash } from 'viem'
import { abi } from './abi.ts'
import { type LocalChain, OWNER, sendAsOwner } from './local-chain.ts'

/** The names of the groups' contracts, the same as on the public chain. */
export const GROUP_NAMES = {
  production: 'semaphore.wld.eth',
  staging: 'staging.semaphore.wld.eth',
} as const

export type Group = keyof typeof GROUP_NAMES

type NameEntry = { registry: Hex; resolver: Hex; name: string }

/** Makes a name resolve to an address. Registers the name and its parent names if they are missing. */
export async function ensureNameRecord(
  chain: LocalChain,
  entry: NameEntry,
  address: Hex,
): Promise<void> {
  for (const name of namesUpTo(entry.name)) await ensureOwnership(chain, { ...entry, name })
  const node = namehash(entry.name)
  const record = { abi: abi.resolver, functionName: 'addr', args: [node] } as const
  const current = await chain.readContract({ address: entry.resolver, ...record })
  if (isAddressEqual(current, address)) return
  const change = { abi: abi.resolver, functionName: 'setAddr', args: [node, address] } as const
  await sendAsOwner(chain, entry.resolver, encodeFunctionData(change))
}

/**
 * Returns 'eth', 'b.eth', 'a.b.eth' for 'a.b.eth'. The parent comes first, because only the owner of a name can
 * register names below it.
 */
function namesUpTo(name: string): string[] {
  const labels = name.split('.')
  return labels.map((_, index) => labels.slice(index).join('.')).reverse()
}

async function ensureOwnership(
  chain: LocalChain,
  { registry, resolver, name }: NameEntry,
): Promise<void> {
  const record = { abi: abi.registry, functionName: 'resolver', args: [namehash(name)] } as const
  const current = await chain.readContract({ address: registry, ...record })
  if (isAddressEqual(current, resolver)) return
  const [label = '', ...parent] = name.split('.')
  const args = [namehash(parent.join('.')), labelhash(label), OWNER, resolver] as const
  const change = { abi: abi.registry, functionName: 'setSubnodeRecord', args } as const
  await sendAsOwner(chain, registry, encodeFunctionData(change))
}
