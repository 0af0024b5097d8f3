import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** The sources of the circuit: the relation, and the hash function that it uses. */
export const circuitSources = [
  fileURLToPath(new URL('./personhood.circom', import.meta.url)),
  fileURLToPath(import.meta.resolve('circomlib/circuits/poseidon.circom')),
  fileURLToPath(import.meta.resolve('circomlib/circuits/poseidon_constants.circom')),
]

const COMPILER = fileURLToPath(import.meta.resolve('circom2/cli.js'))

/** The compiler's package.json, which changes with the compiler's version. */
export const compilerDescription = fileURLToPath(import.meta.resolve('circom2/package.json'))

/** The outputs of the compiler: the constraints, or the program that computes a witness. */
export type Product = 'r1cs' | 'wasm'

const PRODUCTS = { r1cs: 'main.r1cs', wasm: join('main_js', 'main.wasm') } as const

/**
 * Compiles the circuit for a tree of the given depth in a separate process. Takes some seconds.
 *
 * Each run makes one product, because two parallel runs are faster than one run for both.
 *
 * @param folder the folder for the work and the product
 * @returns the product's path
 */
export async function compileCircuit(
  depth: number,
  product: Product,
  folder: string,
): Promise<string> {
  // The compiler can read only its working directory.
  const cwd = await mkdtemp(join(folder, `${product}-`))
  for (const source of circuitSources) await copyFile(source, join(cwd, basename(source)))
  await writeFile(join(cwd, 'main.circom'), mainComponent(depth))
  const args = [COMPILER, 'main.circom', `--${product}`, '--O2']
  await promisify(execFile)(process.execPath, args, { cwd, env: {} })
  return join(cwd, PRODUCTS[product])
}

function mainComponent(depth: number): string {
  return `pragma circom 2.0.0;
include "personhood.circom";
component main {public [signalHash, externalNullifier]} = Personhood(${depth});
`
}
