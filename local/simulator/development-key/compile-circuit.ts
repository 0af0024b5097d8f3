import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { compiler } from './circuit-packages.ts'
import type { Circuit } from './circuits.ts'

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
  const args = [compiler, 'main.circom', '--r1cs', '--wasm', '--O2']
  await promisify(execFile)(process.execPath, args, { cwd, env: {} })
  return { r1cs: join(cwd, 'main.r1cs'), wasm: join(cwd, 'main_js', 'main.wasm') }
}
