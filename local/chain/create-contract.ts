import { concat, getContractAddress, type Hex, keccak256, stringToHex } from 'viem'
import { type LocalChain, sendAsOwner } from './local-chain.ts'

/**
 * The CREATE2 factory that anvil deploys on every chain. It deploys the code that follows the salt in its call data.
 */
const FACTORY = '0x4e59b44847b379578588920cA78FbF26c0B4956C'

/** The address of a contract, and the call data for the factory that creates it. */
export type ContractCreation = { address: Hex; data: Hex }

/**
 * Plans a contract. Its address follows from its code and arguments (CREATE2).
 *
 * @param role gives contracts with the same code and arguments different addresses
 */
export function contractCreation(role: string, code: Hex, args: Hex): ContractCreation {
  const salt = keccak256(stringToHex(role))
  const bytecode = concat([code, args])
  const address = getContractAddress({ opcode: 'CREATE2', from: FACTORY, salt, bytecode })
  return { address, data: concat([salt, bytecode]) }
}

/** Creates a contract, unless it exists. */
export async function createContract(
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
