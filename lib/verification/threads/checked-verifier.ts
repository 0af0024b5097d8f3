import { isMultiplyAddFused } from '../../proof/pairing/algorithms/fused-check.ts'
import { createVerifiers } from '../../proof/pairing/groth16/groth16-verifier.ts'
import type {
  AnyProof,
  ProofVerifier,
  Signals,
  VerificationKey,
} from '../../proof/pairing/verification-key.ts'
import type { FallbackReason, PairingEvent } from './pairing-events.ts'
import type { SharedPairingEngine } from './shared-pairing-engine.ts'

/** A task for a thread: does any of these keys accept the proof for these signals? */
export type VerificationTask = { keyNames: readonly string[]; proof: AnyProof; signals: Signals }

type Options = {
  keys: ReadonlyMap<string, VerificationKey>
  /** Null if the machine cannot run the pairing engine. */
  engine: SharedPairingEngine | null
  /** On average, mcl-wasm cross-checks one verification in this many. */
  crossCheckOneIn: number
  report(event: PairingEvent): void
  /** Returns a number from 0 to below 1. */
  random(): number
}

/** Verifies with the pairing engine, or with mcl-wasm if the pairing engine is unusable or was wrong. */
export type CheckedVerifier = (task: VerificationTask) => boolean | Promise<boolean>

/**
 * Prepares the pairing engine, and tests it on known cases, before and after V8 has optimised its code. mcl-wasm
 * cross-checks a sample of the verifications. After the first wrong answer of the pairing engine, mcl-wasm replaces it.
 */
export async function createCheckedVerifier(options: Options): Promise<CheckedVerifier> {
  const { engine, crossCheckOneIn, report, random } = options
  const oracle = lazyOracle(options.keys)
  const fallBack = (reason: FallbackReason) => {
    report({ event: 'fell_back', reason })
    return oracle()
  }
  if (engine === null || !isMultiplyAddFused(engine.module)) return fallBack('unavailable')
  const { forSelfTest, byName } = createEngineVerifiers(engine)
  if (!passesSelfTest(forSelfTest, engine)) return fallBack('known_case')
  const engineAccepts = someKeyAccepts(byName)
  let replacement: CheckedVerifier | undefined
  return (task) => {
    if (replacement) return replacement(task)
    const answer = engineAccepts(task)
    if (random() * crossCheckOneIn >= 1) return answer
    return oracle().then((oracleAccepts) => {
      const oracleAnswer = oracleAccepts(task)
      report({ event: 'cross_checked' })
      if (oracleAnswer === answer) return answer
      replacement = oracleAccepts
      report({ event: 'fell_back', reason: 'disagreement' })
      return oracleAnswer
    })
  }
}

/** Creates the verifiers of all keys and of the known cases, in the same memory. */
function createEngineVerifiers({ module, tables, selfTest }: SharedPairingEngine) {
  const allTables = [...selfTest.map((part) => part.tables), ...tables.values()]
  const verifiers = createVerifiers(module, new Map(allTables.entries()))
  const names = [...tables.keys()]
  const byName = new Map(names.map((name, i) => [name, verifierAt(verifiers, selfTest.length + i)]))
  return { forSelfTest: selfTest.map((_, i) => verifierAt(verifiers, i)), byName }
}

function verifierAt(verifiers: ReadonlyMap<number, ProofVerifier>, index: number): ProofVerifier {
  const verifier = verifiers.get(index)
  if (verifier === undefined) throw new RangeError(`There is no verifier ${index}.`)
  return verifier
}

/**
 * How often the self-test verifies all known cases: more than eighty verifications in total. After some twenty
 * verifications, nearly all time is spent in optimised code.
 */
const ROUNDS = 6

function passesSelfTest(
  verifiers: readonly ProofVerifier[],
  { selfTest }: SharedPairingEngine,
): boolean {
  const known = selfTest.flatMap(({ cases }, i) =>
    cases.map((testVector) => ({ ...testVector, verify: verifiers[i] })),
  )
  for (let round = 0; round < ROUNDS; round++)
    for (const { verify, proof, signals, isValid } of known)
      if (verify?.(proof, signals) !== isValid) return false
  return true
}

type SyncVerifier = (task: VerificationTask) => boolean

/** Loads mcl-wasm at its first use. In most threads, this is several hundred verifications after the start. */
function lazyOracle(keys: ReadonlyMap<string, VerificationKey>): () => Promise<SyncVerifier> {
  let loading: Promise<SyncVerifier> | undefined
  return () => {
    loading ??= loadOracle(keys)
    return loading
  }
}

async function loadOracle(keys: ReadonlyMap<string, VerificationKey>): Promise<SyncVerifier> {
  const { curveCompiled, prepareMclVerifier } = await import('../../proof/pairing/mcl-verifier.ts')
  await curveCompiled
  return someKeyAccepts(new Map([...keys].map(([name, key]) => [name, prepareMclVerifier(key)])))
}

function someKeyAccepts(verifiers: ReadonlyMap<string, ProofVerifier>): SyncVerifier {
  return ({ keyNames, proof, signals }) =>
    keyNames.some((name) => verifiers.get(name)?.(proof, signals) ?? false)
}
