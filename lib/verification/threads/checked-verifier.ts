import type { Proof } from '../../proof/encoding.ts'
import { isMultiplyAddFused } from '../../proof/pairing/algorithms/fused-check.ts'
import { createVerifiers } from '../../proof/pairing/groth16/groth16-verifier.ts'
import type {
  ProofVerifier,
  Signals,
  VerificationKey,
} from '../../proof/pairing/verification-key.ts'
import type { FallbackReason, PairingEvent } from './pairing-events.ts'
import type { SharedPairingEngine } from './shared-pairing-engine.ts'

/** The task of a thread: to check whether one of these keys accepts the proof for these signals. */
export type VerificationTask = { keyNames: readonly string[]; proof: Proof; signals: Signals }

type Options = {
  keys: ReadonlyMap<string, VerificationKey>
  /** Null where the pairing engine cannot be used. */
  engine: SharedPairingEngine | null
  /** One verification in so many is checked by both. */
  crossCheckOneIn: number
  tell(event: PairingEvent): void
  /** From 0 to 1, less than 1. */
  random(): number
}

/** Verifies with the pairing engine or, if the pairing engine cannot be trusted here, with mcl-wasm. */
export type CheckedVerifier = (task: VerificationTask) => boolean | Promise<boolean>

/**
 * Prepares the pairing engine, tries it on known cases before and after V8 has compiled it for speed, and lets mcl-wasm
 * check one verification in some hundreds. A pairing engine that was wrong once is not used again: the answers are
 * mcl-wasm's.
 */
export async function createCheckedVerifier(options: Options): Promise<CheckedVerifier> {
  const { engine, crossCheckOneIn, tell, random } = options
  const oracle = lazyOracle(options.keys)
  const fallBack = (reason: FallbackReason) => {
    tell({ event: 'fell_back', reason })
    return oracle()
  }
  if (engine === null || !isMultiplyAddFused(engine.module)) return fallBack('unavailable')
  const { known, ...verifiers } = createEngineVerifiers(engine)
  if (!passesKnownCases(known, engine)) return fallBack('known_case')
  const own = someKeyAccepts(verifiers.byName)
  let replacement: CheckedVerifier | undefined
  return (task) => {
    if (replacement) return replacement(task)
    const answer = own(task)
    if (random() * crossCheckOneIn >= 1) return answer
    return oracle().then((checked) => {
      const right = checked(task)
      tell({ event: 'cross_checked' })
      if (right === answer) return answer
      replacement = checked
      tell({ event: 'fell_back', reason: 'disagreement' })
      return right
    })
  }
}

/** The verifiers of all keys, and that of the known cases, on one memory. */
function createEngineVerifiers({ module, tables, known }: SharedPairingEngine) {
  const numbered = [known.tables, ...tables.values()]
  const verifiers = createVerifiers(module, new Map(numbered.entries()))
  const names = [...tables.keys()]
  const byName = new Map(names.map((name, i) => [name, verifierAt(verifiers, i + 1)]))
  return { known: verifierAt(verifiers, 0), byName }
}

function verifierAt(verifiers: ReadonlyMap<number, ProofVerifier>, index: number): ProofVerifier {
  const found = verifiers.get(index)
  if (found === undefined) throw new RangeError(`There is no verifier ${index}.`)
  return found
}

/**
 * How often the known cases are tried. After some twenty verifications nearly all time is spent in code that V8 has
 * compiled for speed; these are more than eighty.
 */
const ROUNDS = 6

function passesKnownCases(verify: ProofVerifier, { known }: SharedPairingEngine): boolean {
  for (let round = 0; round < ROUNDS; round++)
    for (const { proof, signals, holds } of known.cases)
      if (verify(proof, signals) !== holds) return false
  return true
}

type SyncVerifier = (task: VerificationTask) => boolean

/** mcl-wasm, which is loaded when it is first needed: in most threads some hundred verifications after the start. */
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
