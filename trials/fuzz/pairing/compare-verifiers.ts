import { readFile } from 'node:fs/promises'
import { type SnarkjsKey, groth16 as snarkjs } from 'snarkjs'
import type { CompressedProof } from '../../../lib/proof/compressed-proof.ts'
import { protocol4Proofs } from '../../../lib/proof/examples/protocol-4-proofs.ts'
import { realProofs } from '../../../lib/proof/examples/real-proofs.ts'
import { p, r } from '../../../lib/proof/field.ts'
import { ceremonyKeys, parseVerificationKey } from '../../../lib/proof/keys.ts'
import { createVerifiers } from '../../../lib/proof/pairing/groth16/groth16-verifier.ts'
import { curveCompiled, prepareMclVerifier } from '../../../lib/proof/pairing/mcl-verifier.ts'
import type {
  AnyProof,
  ProofVerifier,
  Signals,
} from '../../../lib/proof/pairing/verification-key.ts'
import { sharePairingEngine } from '../../../lib/verification/threads/shared-pairing-engine.ts'
import {
  developmentKey,
  developmentKey4,
} from '../../../local/simulator/development-key/development-key.ts'
import { createForger, type Forger } from '../../../local/simulator/forge.ts'
import { compressProof } from '../../../local/simulator/protocol-4/compress-proof.ts'
import { proofForSnarkjs } from '../../../local/simulator/snarkjs-proof.ts'
import { type Candidate, MUTATIONS } from './mutations.ts'
import { createSeededNumbers, type RandomNumbers } from './random-numbers.ts'

/** The result of a comparison. */
export type Comparison = {
  accepted: number
  rejected: number
  /** The number of these proofs that snarkjs verified too. */
  snarkjsCount: number
  /** The number of compressed proofs that were accepted. */
  compressedAccepted: number
  /** The proofs on which the verifiers disagree. */
  disagreements: string[]
}

type Options = {
  /** The number of proofs. */
  count: number
  seed: string
  /** snarkjs, the slowest verifier, verifies one in this many proofs. */
  snarkjsOneIn: number
  onProgress?: (index: number) => void
}

/** The number of proofs created from one valid candidate. */
const PER_CANDIDATE = 8

/**
 * Verifies the same proofs with the pairing engine and mcl-wasm: real and forged proofs, unchanged and mutated. snarkjs verifies one
 * in `snarkjsOneIn` of them, too.
 */
export async function compareVerifiers(options: Options): Promise<Comparison> {
  const { count, seed, snarkjsOneIn, onProgress } = options
  const verifiers = await startVerifiers()
  const numbers = createSeededNumbers(seed)
  const result: Comparison = {
    ...{ accepted: 0, rejected: 0, snarkjsCount: 0, compressedAccepted: 0 },
    disagreements: [],
  }
  let valid = await verifiers.validCandidate(numbers)
  for (let index = 0; index < count; index++) {
    if (index % PER_CANDIDATE === 0) valid = await verifiers.validCandidate(numbers)
    const name = numbers.pick(Object.keys(MUTATIONS))
    const candidate = MUTATIONS[name]?.(valid.candidate, numbers) ?? valid.candidate
    if (index % PER_CANDIDATE === 0) {
      const compressed = flipWord(compressProof(valid.candidate.proof), numbers)
      const verdicts = verifiers.compressed(valid, compressed)
      result.compressedAccepted += Number(verdicts[1])
      if (new Set(verdicts).size > 1)
        result.disagreements.push(`${seed} ${index} compressed: ${verdicts} ${compressed}`)
    }
    const answers = [verifiers.engine(valid.key, candidate), verifiers.oracle(valid.key, candidate)]
    if (numbers.below(snarkjsOneIn) === 0) {
      answers.push(await verifiers.snarkjs(valid.key, candidate))
      result.snarkjsCount++
    }
    if (new Set(answers).size > 1)
      result.disagreements.push(`${seed} ${index} ${name}: ${answers} ${printCandidate(candidate)}`)
    if (answers[1]) result.accepted++
    else result.rejected++
    onProgress?.(index + 1)
  }
  return result
}

type KeyedCandidate = { key: string; candidate: Candidate }

async function startVerifiers() {
  await curveCompiled
  const development = await readDevelopmentKeys()
  const keys = new Map([
    ...ceremonyKeys,
    ...development.map(({ name, json }) => [name, parseVerificationKey(json)] as const),
  ])
  const engine = sharePairingEngine(keys)
  if (engine === null) throw new Error('This machine does not support the pairing engine.')
  const engineVerifiers = createVerifiers(engine.module, engine.tables)
  const oracles = new Map([...keys].map(([name, key]) => [name, prepareMclVerifier(key)]))
  const snarkjsKeys = new Map([
    ...(await readCeremonyKeys()),
    ...development.map(({ name, json }) => [name, json] as const),
  ])
  return {
    engine: (key: string, candidate: Candidate) => verifyWith(engineVerifiers, key, candidate),
    oracle: (key: string, candidate: Candidate) => verifyWith(oracles, key, candidate),
    /** Verifies a compressed proof with the pairing engine and mcl-wasm, which decompress by different code. */
    compressed: ({ key, candidate }: KeyedCandidate, proof: CompressedProof) =>
      [engineVerifiers, oracles].map((verifiersOfKeys) =>
        verifyWith(verifiersOfKeys, key, { ...candidate, proof }),
      ),
    snarkjs: (key: string, candidate: Candidate) =>
      verifyWithSnarkjs(snarkjsKeys.get(key), candidate),
    validCandidate: (numbers: RandomNumbers) => createValidCandidate(development, numbers),
  }
}

/** A development key, with which proofs can be forged. */
type ForgingKey = { name: string; json: SnarkjsKey; signalCount: number; forge: Forger }

/** Reads the development keys of protocols 3.0 and 4.0. */
async function readDevelopmentKeys(): Promise<ForgingKey[]> {
  const keys = [
    ['development', await developmentKey()],
    ['development-4', await developmentKey4()],
  ] as const
  return Promise.all(
    keys.map(async ([name, key]) => {
      const json: SnarkjsKey = JSON.parse(await readFile(key.verificationKeyFile, 'utf8'))
      return { name, json, signalCount: json.IC.length - 1, forge: await createForger(key) }
    }),
  )
}

async function readCeremonyKeys(): Promise<[string, SnarkjsKey][]> {
  const keyFiles = [...ceremonyKeys.keys()].map(async (name): Promise<[string, SnarkjsKey]> => {
    const file = new URL(`../../../lib/proof/keys/${name}.json`, import.meta.url)
    return [name, JSON.parse(await readFile(file, 'utf8'))]
  })
  return Promise.all(keyFiles)
}

function verifyWith(
  verifiers: ReadonlyMap<string, ProofVerifier>,
  key: string,
  candidate: { proof: AnyProof; signals: Signals },
): boolean {
  const verify = verifiers.get(key)
  if (verify === undefined) throw new Error(`There is no key ${key}.`)
  return verify(candidate.proof, candidate.signals)
}

/** Verifies with snarkjs. Returns false for numbers that are too large: the platform must reject them, but snarkjs reduces them. */
async function verifyWithSnarkjs(
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

/** Creates a forged proof of random signals, or in one of four cases returns a public proof, of either protocol. */
async function createValidCandidate(
  development: readonly ForgingKey[],
  { below, field, pick }: RandomNumbers,
): Promise<KeyedCandidate> {
  if (below(4) === 0) {
    const { key, decoded, signals } = pick(PUBLIC_PROOFS)
    return { key, candidate: { proof: decoded, signals } }
  }
  const { name, signalCount, forge } = pick(development)
  const signals = Array.from({ length: signalCount }, () => field() % r)
  return { key: name, candidate: { proof: await forge.proof(signals), signals } }
}

const PUBLIC_PROOFS = [...realProofs.filter(({ key }) => ceremonyKeys.has(key)), ...protocol4Proofs]

/** Flips a bit of a word, or none in one of four cases. */
function flipWord(words: CompressedProof, { below }: RandomNumbers): CompressedProof {
  const [index, bit] = [below(4), below(4) === 0 ? 0n : 1n << BigInt(below(256))]
  const [a, b0, b1, c] = words.map((word, i) => (i === index ? word ^ bit : word))
  return [a ?? 0n, b0 ?? 0n, b1 ?? 0n, c ?? 0n]
}

function printCandidate({ proof: { a, b, c }, signals }: Candidate): string {
  return `A ${a} B ${b} C ${c} signals ${signals}`
}
