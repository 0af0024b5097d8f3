import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import type { Circuit } from './circuits.ts'

// Vite's module runner, which imports modules for some tests, has no import.meta.resolve.
const require = createRequire(import.meta.url)

const COMPILER = require.resolve('circom2/cli.js')

/** The compiler's package.json, which changes with the compiler's version. */
export const compilerDescription = require.resolve('circom2/package.json')

/** The files that the compiler writes: the constraints, and the program that computes a witness. */
export type CompiledCircuit = { r1cs: string; wasm: string }

/**
 * Compiles a circuit in a separate process. Takes some seconds.
 *
 * @param folder the folder for the work and the results
 */
export async function compileCircuit(circuit: Circuit, folder: string): Promise<CompiledCircuit> {
  // The compiler can read only its working directory.
  const cwd = await mkdtemp(join(folder, 'circuit-'))
  for (const source of circuit.sources) await copyFile(source, join(cwd, basename(source)))
  await writeFile(join(cwd, 'main.circom'), circuit.main)
  const args = [COMPILER, 'main.circom', '--r1cs', '--wasm', '--O2']
  await promisify(execFile)(process.execPath, args, { cwd, env: {} })
  return { r1cs: join(cwd, 'main.r1cs'), wasm: join(cwd, 'main_js', 'main.wasm') }
}
