import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CircuitInputs, groth16, type MemoryFile, wtns } from 'snarkjs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { realProof } from '../../../lib/proof/examples/real-proofs.ts'
import { r } from '../../../lib/proof/field.ts'
import { parseVerificationKey } from '../../../lib/proof/keys.ts'
import { prepareMclVerifier } from '../../../lib/proof/pairing/mcl-verifier.ts'
import type { Signals } from '../../../lib/proof/pairing/verification-key.ts'
import { personhoodCircuit } from '../../../local/simulator/development-key/circuits.ts'
import { compileCircuit } from '../../../local/simulator/development-key/compile-circuit.ts'
import { readR1cs } from '../../../local/simulator/development-key/r1cs.ts'
import { personGroup } from '../../../local/simulator/group.ts'
import {
  identityCommitment,
  personNullifierHash,
  simulatedIdentity,
} from '../../../local/simulator/identity.ts'
import { proofFromSnarkjs } from '../../../local/simulator/snarkjs-proof.ts'
import depth16 from '../../support/proof/semaphore-v3-depth-16.json' with { type: 'json' }
import { freeWires, isSatisfied } from '../../support/simulator/constraints.ts'

/** The only depth with an available proving key of the real ceremony. */
const DEPTH = 16
const ceremonyFile = (name: string) =>
  join(import.meta.dirname, '../../support/proof/semaphore-v3-depth-16', name)

let folder: string
let compiled: { wasm: string; r1cs: string }

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'circuit-'))
  compiled = await compileCircuit(personhoodCircuit(DEPTH), folder)
})
afterAll(() => rm(folder, { recursive: true }))

const anna = scene({ seed: 'anna', index: 0 })
const people = [anna, scene({ seed: 'ben', index: 5 }), scene({ seed: 'cleo', index: 6 })]

describe("the real ceremony's circuit and the simulator's circuit agree", () => {
  test.each(people)(
    'both circuits compute the same signals for $seed',
    async ({ inputs, signals }) => {
      const { isRight, sibling, ...otherInputs } = inputs
      const { proof, publicSignals } = await groth16.fullProve(
        { ...otherInputs, treePathIndices: isRight, treeSiblings: sibling },
        ceremonyFile('circuit.wasm'),
        ceremonyFile('proving-key.zkey'),
        undefined,
        undefined,
        { singleThread: true },
      )
      expect(publicSignals.map(BigInt)).toEqual(signals)
      expect((await witness(inputs)).slice(1, 5)).toEqual(signals)
      expect(
        prepareMclVerifier(parseVerificationKey(depth16))(proofFromSnarkjs(proof), signals),
      ).toBe(true)
    },
  )

  test("the real ceremony's key accepts a real proof", () => {
    const { decoded, signals } = realProof('depth-16')
    expect(prepareMclVerifier(parseVerificationKey(depth16))(decoded, signals)).toBe(true)
  })
})

describe("the simulator's circuit constrains its inputs", () => {
  test('a witness with any single wire changed violates a constraint', async () => {
    const circuit = readR1cs(await readFile(compiled.r1cs))
    const values = await witness(anna.inputs)
    expect(values).toHaveLength(circuit.wires)
    expect(isSatisfied(circuit, values)).toBe(true)
    expect(freeWires(circuit, values)).toEqual([])
  })

  test('a Merkle path with a side other than 0 and 1 is rejected', async () => {
    const isRight = anna.inputs.isRight.with(3, 2)
    await expect(witness({ ...anna.inputs, isRight })).rejects.toThrow(/Assert/)
  })
})

/** Creates a person in a group of seven, with the inputs and the expected signals of the circuit. */
function scene({ seed, index }: { seed: string; index: number }) {
  const person = simulatedIdentity(seed)
  const strangers = Array.from({ length: 7 }, (_, n) =>
    identityCommitment(simulatedIdentity(`stranger ${n}`)),
  )
  const { root, path } = personGroup(strangers.with(index, identityCommitment(person)), DEPTH)
  const [signalHash, externalNullifier] = [12345n, r - 678n]
  const signals = [
    root,
    personNullifierHash(person, externalNullifier),
    signalHash,
    externalNullifier,
  ] as const satisfies Signals
  const inputs = {
    identityNullifier: person.nullifier,
    identityTrapdoor: person.trapdoor,
    ...path(index),
    signalHash,
    externalNullifier,
  } satisfies CircuitInputs
  return { seed, inputs, signals }
}

async function witness(inputs: CircuitInputs): Promise<bigint[]> {
  const file: MemoryFile = { type: 'mem' }
  await wtns.calculate(inputs, compiled.wasm, file)
  return wtns.exportJson(file)
}
