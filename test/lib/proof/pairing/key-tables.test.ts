import { beforeAll, describe, expect, test } from 'vitest'
import { type G1, modularInverse, p, r } from '../../../../lib/proof/field.ts'
import { ceremonyKeys } from '../../../../lib/proof/keys.ts'
import {
  createPairingUnit,
  elementAt,
  readElement,
} from '../../../../lib/proof/pairing/algorithms/pairing-unit.ts'
import { fromMontgomery, LIMBS } from '../../../../lib/proof/pairing/field/limbs.ts'
import {
  createInputSum,
  INPUT_SUM_ELEMENTS,
} from '../../../../lib/proof/pairing/groth16/input-sum.ts'
import { POSITIONS, pointIndex } from '../../../../lib/proof/pairing/groth16/input-tables.ts'
import { makeKeyTables } from '../../../../lib/proof/pairing/groth16/key-tables.ts'
import { curveCompiled } from '../../../../lib/proof/pairing/mcl-verifier.ts'
import { addCurvePoints, timesCurvePoint } from '../../../../trials/fuzz/pairing/oracle-points.ts'
import { createSeededNumbers } from '../../../../trials/fuzz/pairing/random-numbers.ts'
import { compilePairingModule } from '../../../support/proof/pairing/parts.ts'

const module = compilePairingModule()
const unit = createPairingUnit(module, INPUT_SUM_ELEMENTS)
const sumInputs = createInputSum(unit)

beforeAll(() => curveCompiled)

describe.each([...ceremonyKeys])('the tables of the key %s are correct', (name, key) => {
  const tables = makeKeyTables(module, key)
  const count = key.ic.length - 1

  test('the tables have (d + 1)·16^i·P for each digit d at each position i', () => {
    const { points } = tables.inputs
    const number = (at: number) => fromMontgomery([...points.subarray(at, at + LIMBS)])
    const { below } = createSeededNumbers(name)
    const samples = [0, POSITIONS - 1, ...Array.from({ length: 60 }, () => below(POSITIONS))]
    for (const [i, position] of samples.entries()) {
      const [signal, digit] = [i % count, [0, 15, below(16)][i % 3] ?? 0]
      const at = pointIndex(signal, position, digit)
      const factor = (BigInt(digit + 1) * 16n ** BigInt(position)) % r
      const [x, y] = [number(at), number(at + LIMBS)]
      expect([x, y]).toEqual(timesCurvePoint(key.ic[signal + 1] ?? [0n, 0n], factor))
    }
  })

  test('createInputSum computes the sum of the inputs, in both lanes', () => {
    const { wide, pick: one } = createSeededNumbers(name)
    for (let round = 0; round < 30; round++) {
      const signals = Array.from({ length: count }, () => one([wide() % r, 0n, 1n, r - 1n]))
      const sum = sumInputs(tables.inputs, signals)
      const [first, second] = [affine(sum, 0), affine(sum, 1)]
      expect(first).toEqual(expectedSum(key.ic, signals))
      expect(second).toEqual(first)
    }
  })

  test('the tables are in shared memory', () => {
    const arrays = [tables.alphaBeta, tables.gammaLines, tables.deltaLines, tables.inputs.points]
    expect(arrays.every(({ buffer }) => buffer instanceof SharedArrayBuffer)).toBe(true)
  })

  /** Converts the projective point of a lane to affine coordinates; returns null for zero. */
  function affine(sum: number, lane: 0 | 1): G1 | null {
    const coordinate = (i: number) => readElement(unit, elementAt(sum, i))[lane]
    const [X, Y, Z] = [coordinate(0), coordinate(1), coordinate(2)]
    if (Z === 0n) return null
    const inverse = modularInverse(Z, p)
    return [(X * inverse) % p, (Y * inverse) % p]
  }
})

function expectedSum([constant, ...factors]: readonly G1[], signals: readonly bigint[]): G1 | null {
  return factors.reduce<G1 | null>(
    (sum, factor, i) => addCurvePoints(sum, timesCurvePoint(factor, signals[i] ?? 0n)),
    constant ?? null,
  )
}
