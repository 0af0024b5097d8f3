import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { curves } from 'snarkjs'
import { z } from 'zod'
import { externalNullifier, hashToField, type Proof } from '../../lib/proof/encoding.ts'
import { modularInverse, modulo, r } from '../../lib/proof/field.ts'
import type { Signals } from '../../lib/proof/pairing/verification-key.ts'
import { requireValue } from '../../lib/runtime/require-value.ts'
import { prepareFixedBase } from './development-key/fixed-base.ts'
import type { DevelopmentKey } from './development-key/key-files.ts'
import { toxicWaste } from './development-key/toxic-waste.ts'
import type { Purpose } from './prove.ts'
import { type VerificationRequest, verificationRequest } from './verification-request.ts'

/** Forges proofs that only the development key accepts. */
export type Forger = {
  /** Makes a proof for any signals, even meaningless ones. */
  proof(signals: Signals): Promise<Proof>
  /** Makes a verification request of a person who need not exist. */
  request(purpose: Purpose & { root: bigint; nullifierHash: bigint }): Promise<VerificationRequest>
}

/** Creates a forger for the development key of protocol 3.0. It makes thousands of proofs in a second. */
export async function createForger(key: KeySecrets): Promise<Forger> {
  const proof = await createProofForger(key)
  return {
    proof,
    async request({ appId, action, root, nullifierHash, signal = '', ...purpose }) {
      const external = externalNullifier(appId, action)
      const signalHash = purpose.signalHash ?? hashToField(signal)
      const signals = [root, nullifierHash, signalHash, external] as const
      return verificationRequest({ action, level: purpose.level }, await proof(signals), signals)
    },
  }
}

type KeySecrets = Pick<DevelopmentKey, 'signalFactorsFile'>

/**
 * Creates a function that forges proofs for any signals with the secrets of a development key.
 *
 * The verifier checks that ab = alpha·beta + x·gamma + c·delta for the scalars behind the points. A program that
 * knows the secrets chooses a and b at random and computes c. This works for every Groth16 key with known secrets.
 */
export async function createProofForger({
  signalFactorsFile,
}: KeySecrets): Promise<(signals: Signals) => Promise<Proof>> {
  const [constant, ...factors] = SignalFactors.parse(
    JSON.parse(await readFile(signalFactorsFile, 'utf8')),
  )
  const curve = await curves.getCurveFromName('bn128', { singleThread: true })
  const g1 = await prepareFixedBase(curve, curve.G1)
  const g2 = await prepareFixedBase(curve, curve.G2)
  const { alpha, beta, gamma, delta } = toxicWaste
  const perDelta = modularInverse(delta, r)

  return async (signals) => {
    if (signals.length !== factors.length)
      throw new Error(`The key has ${factors.length} signals; got ${signals.length}.`)
    const [a, b] = [randomScalar(), randomScalar()]
    const x = signals.reduce(
      (sum, signal, i) => sum + signal * requireValue(factors[i], 'the factor of a signal'),
      constant,
    )
    const c = modulo((a * b - alpha * beta - x * gamma) * perDelta, r)
    const [ax, ay] = curve.G1.toObject(await g1([a]))
    const [bx, by] = curve.G2.toObject(await g2([b]))
    const [cx, cy] = curve.G1.toObject(await g1([c]))
    return { a: [ax, ay], b: [bx, by], c: [cx, cy] }
  }
}

const Factor = z.string().transform(BigInt)
const SignalFactors = z.tuple([Factor], Factor)

function randomScalar(): bigint {
  return BigInt(`0x${randomBytes(64).toString('hex')}`) % r
}
