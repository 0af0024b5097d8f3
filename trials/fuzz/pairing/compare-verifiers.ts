import { readFile } from 'node:fs/promises'
import { type SnarkjsKey, groth16 as snarkjs } from 'snarkjs'
import { realProofs } from '../../../lib/proof/examples/real-proofs.ts'
import { p, r } from '../../../lib/proof/field.ts'
import { ceremonyKeys, parseVerificationKey } from '../../../lib/proof/keys.ts'
import { createVerifiers } from '../../../lib/proof/pairing/groth16/groth16-verifier.ts'
import { curveCompiled, prepareMclVerifier } from '../../../lib/proof/pairing/mcl-verifier.ts'
import type { ProofVerifier } from '../../../lib/proof/pairing/verification-key.ts'
import { sharePairingEngine } from '../../../lib/verification/threads/shared-pairing-engine.ts'
import { developmentKey } from '../../../local/simulator/development-key/development-key.ts'
import { createForger, type Forger } from '../../../local/simulator/forge.ts'
import { proofForSnarkjs } from '../../../local/simulator/snarkjs-proof.ts'
import { type Candidate, MUTATIONS } from './mutations.ts'
import { type RandomNumbers, seededNumbers } from './random-numbers.ts'

/** What came of a comparison. */
export type Comparison = {
  accepted: number
  refused: number
  /** How many of them snarkjs was asked about, too. */
  bySnarkjs: number
  /** What the verifiers do not agree about. */
  disagreements: string[]
}

type Options = {
  /** The proofs to compare. */
  count: number
  seed: string
  /** snarkjs, the slowest, is asked about one in so many. */
  snarkjsOneIn: number
  onProgress?: (done: number) => void
}

/** How many proofs are made from one valid candidate. */
const PER_CANDIDATE = 8

/** Lets the engine and mcl-wasm verify the same proofs: of real people and forged ones, valid and changed. */
export async function compareVerifiers(options: Options): Promise<Comparison> {
  const { count, seed, snarkjsOneIn, onProgress } = options
  const verifiers = await startVerifiers()
  const numbers = seededNumbers(seed)
  const result: Comparison = { accepted: 0, refused: 0, bySnarkjs: 0, disagreements: [] }
  let valid = await verifiers.validCandidate(numbers)
  for (let done = 0; done < count; done++) {
    if (done % PER_CANDIDATE === 0) valid = await verifiers.validCandidate(numbers)
    const name = numbers.one(Object.keys(MUTATIONS))
    const candidate = MUTATIONS[name]?.(valid.candidate, numbers) ?? valid.candidate
    const answers = [verifiers.engine(valid.key, candidate), verifiers.oracle(valid.key, candidate)]
    if (numbers.below(snarkjsOneIn) === 0) {
      answers.push(await verifiers.snarkjs(valid.key, candidate))
      result.bySnarkjs++
    }
    if (new Set(answers).size > 1)
      result.disagreements.push(`${seed} ${done} ${name}: ${answers} ${printed(candidate)}`)
    if (answers[1]) result.accepted++
    else result.refused++
    onProgress?.(done + 1)
  }
  return result
}

type Named = { key: string; candidate: Candidate }

async function startVerifiers() {
  await curveCompiled
  const development = await developmentKey()
  const json: SnarkjsKey = JSON.parse(await readFile(development.verificationKeyFile, 'utf8'))
  const keys = new Map([...ceremonyKeys, ['development', parseVerificationKey(json)] as const])
  const engine = sharePairingEngine(keys)
  if (engine === null) throw new Error('The engine cannot be used on this machine.')
  const own = createVerifiers(engine.module, engine.tables)
  const oracles = new Map([...keys].map(([name, key]) => [name, prepareMclVerifier(key)]))
  const forge = await createForger(development)
  const snarkjsKeys = new Map([...(await ceremonyJson()), ['development', json]])
  return {
    engine: (key: string, candidate: Candidate) => asked(own, key, candidate),
    oracle: (key: string, candidate: Candidate) => asked(oracles, key, candidate),
    snarkjs: (key: string, candidate: Candidate) => askSnarkjs(snarkjsKeys.get(key), candidate),
    validCandidate: (numbers: RandomNumbers) => validCandidate(forge, numbers),
  }
}

async function ceremonyJson(): Promise<[string, SnarkjsKey][]> {
  const named = [...ceremonyKeys.keys()].map(async (name): Promise<[string, SnarkjsKey]> => {
    const file = new URL(`../../../lib/proof/keys/${name}.json`, import.meta.url)
    return [name, JSON.parse(await readFile(file, 'utf8'))]
  })
  return Promise.all(named)
}

function asked(
  verifiers: ReadonlyMap<string, ProofVerifier>,
  key: string,
  candidate: Candidate,
): boolean {
  const verify = verifiers.get(key)
  if (verify === undefined) throw new Error(`There is no key ${key}.`)
  return verify(candidate.proof, candidate.signals)
}

/** snarkjs reduces numbers that are too large, where we must refuse them: then it is not asked. */
async function askSnarkjs(
  key: SnarkjsKey | undefined,
  { proof, signals }: Candidate,
): Promise<boolean> {
  const { a, b, c } = proof
  const areBelow = (modulus: bigint, list: readonly bigint[]) =>
    list.every((n) => n >= 0n && n < modulus)
  if (key === undefined || !areBelow(p, [...a, ...b.flat(), ...c]) || !areBelow(r, signals))
    return false
  return snarkjs.verify(key, signals.map(String), proofForSnarkjs(proof)).catch(() => false)
}

/** A forged proof of random signals or, each fourth time, one of a real person. */
async function validCandidate(forge: Forger, { below, field, one }: RandomNumbers): Promise<Named> {
  if (below(4) === 0) {
    const known = realProofs.filter(({ key }) => ceremonyKeys.has(key))
    const { key, decoded, signals } = one(known)
    return { key, candidate: { proof: decoded, signals } }
  }
  const signals = [field() % r, field() % r, field() % r, field() % r] as const
  return { key: 'development', candidate: { proof: await forge.proof(signals), signals } }
}

function printed({ proof: { a, b, c }, signals }: Candidate): string {
  return `A ${a} B ${b} C ${c} signals ${signals}`
}
