import mcl from 'mcl-wasm'
import { decompressProof } from '../compressed-proof.ts'
import { type Fp2, type G1, type G2, p, r } from '../field.ts'
import type { ProofVerifier, VerificationKey } from './verification-key.ts'

/**
 * Resolves when the WebAssembly of the curve is compiled. Call the other functions of this file only after that.
 *
 * There is no top-level await, because V8 crashes the process if a thread is terminated during a top-level await
 * (https://github.com/nodejs/node/issues/53238). A thread may be terminated while it starts.
 */
export const curveCompiled: Promise<void> = mcl
  .init(mcl.BN_SNARK1)
  .then(() => mcl.verifyOrderG2(true))

/**
 * Prepares a key for verification with mcl-wasm. Computes e(alpha, beta) and the line functions of gamma and delta
 * once, so a verification does not compute them. It needs a single final exponentiation for its three pairings.
 */
export function prepareMclVerifier(key: VerificationKey): ProofVerifier {
  const alphaBeta = mcl.pairing(curvePoint(key.alpha), twistPoint(key.beta))
  const gamma = new mcl.PrecomputedG2(twistPoint(key.gamma))
  const delta = new mcl.PrecomputedG2(twistPoint(key.delta))
  const constant = curvePoint(key.ic[0])
  const factors = key.ic.slice(1).map(curvePoint)

  return (proof, signals) => {
    const { a, b, c } = 'a' in proof ? proof : decompressProof(proof)
    if (signals.length !== factors.length || !signals.every(inScalarField)) return false
    if (!(onCurve(a) && onCurve(c) && inTwistSubgroup(b))) return false
    const x = mcl.add(constant, mcl.mulVec(factors, signals.map(frElement)))
    const variablePairs = mcl.precomputedMillerLoop2mixed(
      curvePoint(a),
      twistPoint(b),
      mcl.neg(curvePoint(c)),
      delta,
    )
    const gammaPair = mcl.precomputedMillerLoop(mcl.neg(x), gamma)
    return mcl.finalExp(mcl.mul(variablePairs, gammaPair)).isEqual(alphaBeta)
  }
}

/** True if a point is on the curve. The order of the curve is prime, so no subgroup needs a check. */
export function onCurve(point: G1): boolean {
  return point.every(inField) && curvePoint(point).isValid()
}

/** True if a point is on the twist, in the subgroup of the pairing. */
export function inTwistSubgroup(point: G2): boolean {
  return point.flat().every(inField) && twistPoint(point).isValid()
}

function inScalarField(n: bigint): boolean {
  return n >= 0n && n < r
}

function inField(n: bigint): boolean {
  return n >= 0n && n < p
}

function curvePoint([x, y]: G1) {
  const point = new mcl.G1()
  point.setX(fpElement(x))
  point.setY(fpElement(y))
  point.setZ(fpElement(1n))
  return point
}

function twistPoint([x, y]: G2) {
  const point = new mcl.G2()
  point.setX(fp2Element(x))
  point.setY(fp2Element(y))
  point.setZ(fp2Element([1n, 0n]))
  return point
}

function fp2Element([real, imaginary]: Fp2) {
  const pair = new mcl.Fp2()
  pair.set_a(fpElement(real))
  pair.set_b(fpElement(imaginary))
  return pair
}

function fpElement(n: bigint) {
  const element = new mcl.Fp()
  element.setStr(n.toString(16), 16)
  return element
}

function frElement(n: bigint) {
  const scalar = new mcl.Fr()
  scalar.setStr(n.toString(16), 16)
  return scalar
}
