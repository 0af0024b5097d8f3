import { describe, expect, test } from 'vitest'
import { type CompressedProof, decompressProof } from '../../../../lib/proof/compressed-proof.ts'
import { protocol4Proofs } from '../../../../lib/proof/examples/protocol-4-proofs.ts'
import { p } from '../../../../lib/proof/field.ts'
import {
  createDecompression,
  DECOMPRESSION_ELEMENTS,
} from '../../../../lib/proof/pairing/algorithms/decompression.ts'
import {
  createInversion,
  INVERSION_ELEMENTS,
} from '../../../../lib/proof/pairing/algorithms/inversion.ts'
import {
  createPairingUnit,
  elementAt,
  readElement,
} from '../../../../lib/proof/pairing/algorithms/pairing-unit.ts'
import { createSeededNumbers } from '../../../../trials/fuzz/pairing/random-numbers.ts'
import { compilePairingModule } from '../../../support/proof/pairing/parts.ts'

const unit = createPairingUnit(
  compilePairingModule(),
  INVERSION_ELEMENTS + DECOMPRESSION_ELEMENTS + 4,
)
const decompress = createDecompression(unit, createInversion(unit))
const places = { aAndC: unit.allocate(2), b: unit.allocate(2) }

/** Decompresses words in the unit. */
function inUnit(words: CompressedProof) {
  decompress(places, words)
  const [[ax, cx], [ay, cy]] = [readElement(unit, places.aAndC), yOf(places.aAndC)]
  return { a: [ax, ay], b: [readElement(unit, places.b), yOf(places.b)], c: [cx, cy] }
}

function yOf(point: number) {
  return readElement(unit, elementAt(point, 1))
}

describe('the pairing engine and BigInt decompress to the same points', () => {
  test.each(protocol4Proofs)('the public $name proof', ({ compressed, decoded }) => {
    expect(inUnit(compressed)).toEqual(decoded)
    expect(decompressProof(compressed)).toEqual(decoded)
  })

  test('random words, of which most belong to no point', () => {
    const { field, below } = createSeededNumbers('decompression')
    for (let round = 0; round < 300; round++) {
      const bits = BigInt(below(16))
      const words = [
        (field() << 1n) | (bits & 1n),
        field(),
        (field() << 2n) | (bits >> 2n),
        (field() << 1n) | ((bits >> 1n) & 1n),
      ] as const
      expect({ words, points: inUnit(words) }).toEqual({ words, points: decompressProof(words) })
    }
  })

  test('every sign and hint of a public proof, and words near 0 and the modulus', () => {
    const [a, b0, b1, c] = protocol4Proofs[0]?.compressed ?? [0n, 0n, 0n, 0n]
    const edges: CompressedProof[] = [0n, 1n, 2n, 3n].flatMap((flip) => [
      [a ^ (flip & 1n), b0, b1 ^ flip, c ^ (flip >> 1n)],
      [flip, flip, flip, flip],
      [((p - 1n) << 1n) | (flip & 1n), p - 1n, ((p - 1n) << 2n) | flip, (p - 1n) << 1n],
      [a, 0n, b1 ^ flip, c],
      [a, b0, flip, c],
    ])
    for (const words of edges)
      expect({ words, points: inUnit(words) }).toEqual({ words, points: decompressProof(words) })
  })
})
