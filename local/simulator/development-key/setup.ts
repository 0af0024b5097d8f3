import { type Curve, curves, type SnarkjsKey } from 'snarkjs'
import { modularInverse, modulo, r } from '../../../lib/proof/field.ts'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import { prepareFixedBase } from './fixed-base.ts'
import { evaluateQap, type Qap } from './qap.ts'
import type { R1cs } from './r1cs.ts'
import type { ToxicWaste } from './toxic-waste.ts'
import { type ProvingPoints, zkeyFile } from './zkey.ts'

export type Keys = {
  /** The proving key as a `.zkey` file of snarkjs. */
  zkey: Uint8Array
  /** The verification key in snarkjs' JSON format. */
  verificationKey: SnarkjsKey
  /** The scalars behind the points of IC. With these scalars and the toxic waste, proofs can be forged. */
  signalFactors: readonly bigint[]
}

/**
 * Makes the Groth16 keys of a circuit from known secrets.
 *
 * A ceremony computes with points, because the scalars behind them must stay secret. Here the scalars are known, so
 * each point is the generator times a scalar. This takes seconds instead of minutes.
 */
export async function setUpKeys(circuit: R1cs, waste: ToxicWaste): Promise<Keys> {
  const curve = await curves.getCurveFromName('bn128', { singleThread: true })
  const qap = evaluateQap(circuit, waste.tau)
  const scalars = wireScalars(circuit, qap, waste)
  const points = await provingPoints(curve, { ...scalars, ...waste })
  const { domainSize, terms } = qap
  return {
    zkey: zkeyFile({ circuit, domainSize, terms, points }),
    verificationKey: snarkjsVerificationKey(curve, points),
    signalFactors: scalars.ic,
  }
}

type WireScalars = ReturnType<typeof wireScalars>

function wireScalars({ publicWires }: R1cs, { a, b, c, h }: Qap, waste: ToxicWaste) {
  const { alpha, beta, gamma, delta } = waste
  const divide = (scalars: readonly bigint[], divisor: bigint) => {
    const factor = modularInverse(divisor, r)
    return scalars.map((scalar) => modulo(scalar * factor, r))
  }
  const combinations = c.map(
    (sum, wire) =>
      sum +
      beta * requireValue(a[wire], 'the wire in matrix a') +
      alpha * requireValue(b[wire], 'the wire in matrix b'),
  )
  return {
    a,
    b,
    ic: divide(combinations.slice(0, publicWires + 1), gamma),
    c: divide(combinations.slice(publicWires + 1), delta),
    h: divide(h, delta),
  }
}

async function provingPoints(
  curve: Curve,
  { alpha, beta, gamma, delta, ...wires }: WireScalars & ToxicWaste,
): Promise<ProvingPoints> {
  const g1 = await prepareFixedBase(curve, curve.G1)
  const g2 = await prepareFixedBase(curve, curve.G2)
  return {
    header: Buffer.concat([
      ...[await g1([alpha, beta]), await g2([beta, gamma])],
      ...[await g1([delta]), await g2([delta])],
    ]),
    ic1: await g1(wires.ic),
    a1: await g1(wires.a),
    b1: await g1(wires.b),
    b2: await g2(wires.b),
    c1: await g1(wires.c),
    h1: await g1(wires.h),
  }
}

/** Formats the verification key. A point of the first group has 64 bytes, a point of the second group 128. */
function snarkjsVerificationKey({ G1, G2 }: Curve, { header, ic1 }: ProvingPoints): SnarkjsKey {
  const inG1 = (bytes: Uint8Array, at = 0) => decimalTexts(G1.toObject(bytes.slice(at, at + 64)))
  const inG2 = (at: number) => G2.toObject(header.slice(at, at + 128)).map(decimalTexts)
  return {
    protocol: 'groth16',
    curve: 'bn128',
    nPublic: ic1.length / 64 - 1,
    vk_alpha_1: inG1(header),
    vk_beta_2: inG2(128),
    vk_gamma_2: inG2(256),
    vk_delta_2: inG2(448),
    IC: Array.from({ length: ic1.length / 64 }, (_, index) => inG1(ic1, 64 * index)),
  }
}

function decimalTexts(numbers: readonly bigint[]): string[] {
  return numbers.map(String)
}
