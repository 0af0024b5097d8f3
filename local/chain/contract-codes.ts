import { readFile } from 'node:fs/promises'
import type { Hex } from 'viem'
import { findPackagedFile } from '../../lib/runtime/ready-made.ts'
import { type Contract, ContractCodes } from './contracts.ts'

/**
 * Returns the creation code of every contract. The npm package contains it; in the repository, the first use compiles
 * the sources.
 *
 * @throws Error with the compiler's messages
 */
export async function contractCodes(): Promise<Record<Contract, Hex>> {
  const packagedFile = findPackagedFile('contracts.json')
  if (packagedFile) return ContractCodes.parse(JSON.parse(await readFile(packagedFile, 'utf8')))
  const { compileContracts } = await import('./compile.ts')
  return compileContracts()
}
