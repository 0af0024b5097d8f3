import { readFile } from 'node:fs/promises'
import type { Hex } from 'viem'
import { findReadyMade } from '../../lib/runtime/ready-made.ts'
import { type Contract, ContractCodes } from './contracts.ts'

/**
 * The creation code of every contract: the package has it; the sources are compiled on first use.
 *
 * @throws Error with the compiler's messages
 */
export async function contractCodes(): Promise<Record<Contract, Hex>> {
  const made = findReadyMade('contracts.json')
  if (made) return ContractCodes.parse(JSON.parse(await readFile(made, 'utf8')))
  const { compileContracts } = await import('./compile.ts')
  return compileContracts()
}
