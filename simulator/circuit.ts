import { execFile } from 'node:child_process'
import { copyFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** Everything that the circuit is made of: our own relation, and the hash function that it uses. */
export const circuitSources = [
  fileURLToPath(new URL('./circuit/personhood.circom', import.meta.url)),
  fileURLToPath(import.meta.resolve('circomlib/circuits/poseidon.circom')),
  fileURLToPath(import.meta.resolve('circomlib/circuits/poseidon_constants.circom')),
]

const COMPILER = fileURLToPath(import.meta.resolve('circom2/cli.js'))

/** The compiler's own description, for whoever must know that it changed. */
export const compilerDescription = fileURLToPath(import.meta.resolve('circom2/package.json'))

/**
 * Compiles the circuit for a tree of some depth, which takes seconds.
 *
 * @param folder an empty folder to work in: the compiler sees nothing outside it
 * @returns the files of the constraints and of the program that computes a witness
 */
export async function compileCircuit(depth: number, folder: string) {
  for (const source of circuitSources) await copyFile(source, join(folder, basename(source)))
  await writeFile(join(folder, 'main.circom'), mainComponent(depth))
  const args = [COMPILER, 'main.circom', '--r1cs', '--wasm', '--O2']
  await promisify(execFile)(process.execPath, args, { cwd: folder, env: {} })
  return { r1cs: join(folder, 'main.r1cs'), wasm: join(folder, 'main_js', 'main.wasm') }
}

function mainComponent(depth: number): string {
  return `pragma circom 2.0.0;
include "personhood.circom";
component main {public [signalHash, externalNullifier]} = Personhood(${depth});
`
}
