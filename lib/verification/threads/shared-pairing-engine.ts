import { isMultiplyAddFused } from '../../proof/pairing/algorithms/fused-check.ts'
import type { PairingModule } from '../../proof/pairing/algorithms/pairing-unit.ts'
import { generatePairingModule } from '../../proof/pairing/functions/pairing-module.ts'
import { type KeyTables, makeKeyTables } from '../../proof/pairing/groth16/key-tables.ts'
import type { VerificationKey } from '../../proof/pairing/verification-key.ts'
import { type TestVector, testVectors } from './test-vectors.ts'

/** The parts of the pairing engine that all threads share: the compiled code and, in shared memory, the tables of each key. */
export type SharedPairingEngine = {
  module: PairingModule
  tables: ReadonlyMap<string, KeyTables>
  /** The known cases of the self-test, for each protocol. */
  selfTest: readonly { tables: KeyTables; cases: readonly TestVector[] }[]
}

/**
 * Compiles the pairing engine and computes the tables of the keys, once per process and key.
 *
 * @returns null if the machine or V8 has no fused multiply-add
 */
export function sharePairingEngine(
  keys: ReadonlyMap<string, VerificationKey>,
): SharedPairingEngine | null {
  compiled ??= { module: compileEngine() }
  const { module } = compiled
  if (module === null) return null
  const tables = (key: VerificationKey) => tablesOf(module, key)
  return {
    module,
    tables: new Map([...keys].map(([name, key]) => [name, tables(key)])),
    selfTest: testVectors(keys.values()).map(({ key, cases }) => ({
      tables: tables(key),
      cases,
    })),
  }
}

let compiled: { module: PairingModule | null } | undefined

function compileEngine(): PairingModule | null {
  const { bytes, scratchBytes } = generatePairingModule()
  const module = compileBytes(bytes)
  if (module === null) return null
  const engine = { module, scratchBytes }
  return isMultiplyAddFused(engine) ? engine : null
}

/** Null if V8 does not know the instructions. */
function compileBytes(bytes: Uint8Array): WebAssembly.Module | null {
  return WebAssembly.validate(bytes) ? new WebAssembly.Module(bytes) : null
}

function tablesOf(module: PairingModule, key: VerificationKey): KeyTables {
  const tables = tablesByKey.get(key) ?? makeKeyTables(module, key)
  tablesByKey.set(key, tables)
  return tables
}

const tablesByKey = new WeakMap<VerificationKey, KeyTables>()
