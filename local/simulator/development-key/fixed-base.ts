import type { Curve, CurveGroup } from 'snarkjs'
import { requireValue } from '../../../lib/runtime/require-value.ts'

/** Multiplies a group's generator by many scalars. Returns the affine points, concatenated. */
export type Multiply = (scalars: readonly bigint[]) => Promise<Uint8Array>

/**
 * The number of bits of a scalar for each table lookup. With one more bit the tables would not fit into the curve's
 * memory.
 */
const WINDOW = 7
const WINDOWS = Math.ceil(254 / WINDOW)
const MULTIPLES = 2 ** WINDOW - 1

/**
 * Prepares a table of the generator's multiples: for each window of a scalar, one point for each value except 0.
 *
 * A product is the sum of one point for each window. The curve's WebAssembly functions add the points in the curve's
 * memory. This is several times as fast as separate multiplications.
 */
export async function prepareFixedBase(
  { tm }: Curve,
  group: CurveGroup<unknown>,
): Promise<Multiply> {
  const affine = 2 * group.F.n8
  const jacobian = 3 * group.F.n8
  const points = await generatorMultiples(group)
  const table = tm.alloc(points.length)
  tm.setBuff(table, points)
  const sum = tm.alloc(jacobian)
  const { exports } = tm.instance
  const setToZero = requireValue(exports[`${group.prefix}_zero`], 'the function for zero')
  const addAffine = requireValue(exports[`${group.prefix}_addMixed`], 'the function that adds')

  function product(scalar: bigint): Uint8Array {
    setToZero(sum)
    let row = table
    for (let remaining = scalar; remaining > 0n; remaining >>= BigInt(WINDOW)) {
      const digit = Number(remaining & BigInt(MULTIPLES))
      if (digit > 0) addAffine(sum, row + (digit - 1) * affine, sum)
      row += MULTIPLES * affine
    }
    return tm.getBuff(sum, jacobian)
  }

  return (scalars) => group.batchToAffine(concatenatePoints(scalars.map(product)))
}

function generatorMultiples(group: CurveGroup<unknown>): Promise<Uint8Array> {
  const points: Uint8Array[] = []
  let base = group.g
  for (let window = 0; window < WINDOWS; window++) {
    let multiple = base
    for (let digit = 1; digit <= MULTIPLES; digit++) {
      points.push(multiple)
      multiple = group.add(multiple, base)
    }
    base = multiple
  }
  return group.batchToAffine(concatenatePoints(points))
}

/** Concatenates points into a Uint8Array, because slices of a Buffer would share its memory. */
function concatenatePoints(points: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(points))
}
