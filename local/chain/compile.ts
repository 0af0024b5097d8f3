import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import solcPackage from 'solc/package.json' with { type: 'json' }
import type { Hex } from 'viem'
import { z } from 'zod'
import { requireValue } from '../../lib/runtime/require-value.ts'
import { CONTRACTS, type Contract, ContractCodes } from './contracts.ts'

const FOLDER = new URL('./contracts/', import.meta.url)
const CACHE = new URL('../../.cache/', import.meta.url)

/**
 * Returns the creation code of every contract.
 *
 * Compiles only once for each version of the sources and the compiler. Later calls read the result from `.cache/`.
 *
 * @throws Error with the compiler's messages
 */
export async function compileContracts(): Promise<Record<Contract, Hex>> {
  const input = JSON.stringify({ language: 'Solidity', sources: await readSources(), settings })
  const cacheFile = new URL(`contracts-${digestOfInput(input)}.json`, CACHE)
  const cachedCodes = ContractCodes.safeParse(await readCache(cacheFile))
  if (cachedCodes.success) return cachedCodes.data
  const bytecodes = await compileWithSolc(input)
  await writeCache(cacheFile, bytecodes)
  return bytecodes
}

const settings = {
  optimizer: { enabled: true, runs: 200 },
  evmVersion: 'cancun',
  // Without a hash of the sources, a change of comments changes neither the code nor the addresses.
  metadata: { appendCBOR: false },
  outputSelection: { '*': { '*': ['evm.bytecode.object'] } },
}

async function readSources(): Promise<Record<string, { content: string }>> {
  const files = (await readdir(FOLDER)).filter((file) => file.endsWith('.sol')).sort()
  const readSource = async (file: string) =>
    [file, { content: await readFile(new URL(file, FOLDER), 'utf8') }] as const
  return Object.fromEntries(await Promise.all(files.map(readSource)))
}

function digestOfInput(input: string): string {
  const hash = createHash('sha256').update(solcPackage.version).update(input)
  return hash.digest('hex').slice(0, 16)
}

async function readCache(file: URL): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch {
    return null
  }
}

const Output = z.object({
  errors: z.array(z.object({ formattedMessage: z.string() })).default([]),
  contracts: z
    .record(
      z.string(),
      z.record(
        z.string(),
        z.object({ evm: z.object({ bytecode: z.object({ object: z.string() }) }) }),
      ),
    )
    .default({}),
})

/** Loads the compiler only when it is needed, because loading it takes half a second. */
async function compileWithSolc(input: string): Promise<Record<Contract, Hex>> {
  const { default: solc } = await import('solc')
  const { errors, contracts } = Output.parse(JSON.parse(solc.compile(input)))
  if (errors.length > 0) throw new Error(errors.map((e) => e.formattedMessage).join('\n'))
  const code = (name: Contract) =>
    requireValue(contracts[`${name}.sol`]?.[name], `the code of ${name}`).evm.bytecode.object
  return ContractCodes.parse(Object.fromEntries(CONTRACTS.map((name) => [name, `0x${code(name)}`])))
}

/** Writes a draft and renames it, so that another process never reads an incomplete file. */
async function writeCache(file: URL, bytecodes: Record<Contract, Hex>): Promise<void> {
  await mkdir(CACHE, { recursive: true })
  const draft = new URL(`${file.href}.${randomUUID()}`)
  await writeFile(draft, JSON.stringify(bytecodes))
  await rename(draft, file)
}
