import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { curves } from 'snarkjs'
import { decompressProof } from '../../../lib/proof/compressed-proof.ts'
import type { Proof } from '../../../lib/proof/encoding.ts'
import { r } from '../../../lib/proof/field.ts'
import {
  PROTOCOL_4_SIGNALS,
  type Protocol4Inputs,
  protocol4Signals,
} from '../../../lib/proof/protocol-4/public-signals.ts'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import { temporaryFolder } from '../../../local/process/temporary-folder.ts'
import { prepareFixedBase } from '../../../local/simulator/development-key/fixed-base.ts'
import { toxicWaste } from '../../../local/simulator/development-key/toxic-waste.ts'
import { createForger } from '../../../local/simulator/forge.ts'

/**
 * Makes a Groth16 key for the public signals of protocol 4.0 whose secrets are known, and forges proofs that this key
 * accepts. So a test has a real proof of any statement in milliseconds.
 */
export async function createForger4() {
  const folder = temporaryFolder('forger-4-')
  const [keyFile, signalFactorsFile] = [join(folder, 'key.json'), join(folder, 'factors.json')]
  const factors = Array.from({ length: PROTOCOL_4_SIGNALS + 1 }, () => randomScalar())
  writeFileSync(signalFactorsFile, JSON.stringify(factors.map(String)))
  writeFileSync(keyFile, JSON.stringify(await verificationKey(factors)))
  const forger = await createForger({ signalFactorsFile })
  return {
    /** The file with the verification key. */
    keyFile,
    /** Forges the five words of a proof. */
    forge: async (inputs: Protocol4Inputs): Promise<string[]> => {
      const proof = await forger.proof(protocol4Signals(inputs))
      return [...compress(proof), inputs.merkleRoot].map((word) => `0x${word.toString(16)}`)
    },
  }
}

/** Returns the key in snarkjs's form. */
async function verificationKey(factors: readonly bigint[]) {
  const curve = await curves.getCurveFromName('bn128', { singleThread: true })
  const g1 = await prepareFixedBase(curve, curve.G1)
  const g2 = await prepareFixedBase(curve, curve.G2)
  const point1 = async (n: bigint) => curve.G1.toObject(await g1([n])).map(String)
  const point2 = async (n: bigint) =>
    curve.G2.toObject(await g2([n])).map((part) => part.map(String))
  const { alpha, beta, gamma, delta } = toxicWaste
  return {
    protocol: 'groth16',
    curve: 'bn128',
    nPublic: PROTOCOL_4_SIGNALS,
    vk_alpha_1: await point1(alpha),
    vk_beta_2: await point2(beta),
    vk_gamma_2: await point2(gamma),
    vk_delta_2: await point2(delta),
    IC: await Promise.all(factors.map(point1)),
  }
}

/** Compresses a proof: tries each combination of signs and hints until the result has the same points. */
function compress({ a, b, c }: Proof): bigint[] {
  const [[real, imaginary]] = b
  const b1 = requireValue(
    [0n, 1n, 2n, 3n].find((bits) =>
      isSame(decompress([0n, imaginary, (real << 2n) | bits, 0n]).b, b),
    ),
    'the bits of B',
  )
  const curveWord = (point: Proof['a']) =>
    requireValue(
      [0n, 1n]
        .map((sign) => (point[0] << 1n) | sign)
        .find((word) => isSame(decompress([word, 0n, 0n, 0n]).a, point)),
      'the sign of a point',
    )
  return [curveWord(a), imaginary, (real << 2n) | b1, curveWord(c)]
}

function decompress(words: readonly [bigint, bigint, bigint, bigint]) {
  return decompressProof(words)
}

function isSame(first: readonly unknown[], second: readonly unknown[]): boolean {
  return String(first) === String(second)
}

function randomScalar(): bigint {
  return BigInt(`0x${randomBytes(64).toString('hex')}`) % r
}
