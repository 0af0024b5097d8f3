import mcl from 'mcl-wasm'
import type { G1, G2 } from '../../../lib/proof/field.ts'

/** Computes k times a point of the curve with mcl-wasm; null if the product is zero. Await `curveCompiled` before the functions of this file. */
export function timesCurvePoint([x, y]: G1, k: bigint): G1 | null {
  const point = new mcl.G1()
  point.setStr(`1 ${x} ${y}`)
  const product = mcl.mul(point, scalar(k))
  if (product.isZero()) return null
  mcl.normalize(product)
  const [, kx = '', ky = ''] = product.getStr(10).split(' ')
  return [BigInt(kx), BigInt(ky)]
}

/** Computes k times a point of the twist's subgroup; null if the product is zero. */
export function timesTwistPoint([x, y]: G2, k: bigint): G2 | null {
  const point = new mcl.G2()
  point.setStr(`1 ${x[0]} ${x[1]} ${y[0]} ${y[1]}`)
  const product = mcl.mul(point, scalar(k))
  if (product.isZero()) return null
  mcl.normalize(product)
  const [, a = '', b = '', c = '', d = ''] = product.getStr(10).split(' ')
  return [
    [BigInt(a), BigInt(b)],
    [BigInt(c), BigInt(d)],
  ]
}

export function addCurvePoints(a: G1 | null, b: G1 | null): G1 | null {
  if (a === null || b === null) return a ?? b
  const [p, q] = [a, b].map(([x, y]) => {
    const point = new mcl.G1()
    point.setStr(`1 ${x} ${y}`)
    return point
  })
  if (!(p && q)) return null
  const sum = mcl.add(p, q)
  if (sum.isZero()) return null
  mcl.normalize(sum)
  const [, x = '', y = ''] = sum.getStr(10).split(' ')
  return [BigInt(x), BigInt(y)]
}

function scalar(k: bigint) {
  const element = new mcl.Fr()
  element.setStr(k.toString(16), 16)
  return element
}
