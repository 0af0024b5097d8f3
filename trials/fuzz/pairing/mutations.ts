import type { Proof } from '../../../lib/proof/encoding.ts'
import { type G1, type G2, modularInverse, modulo, p, r } from '../../../lib/proof/field.ts'
import type { Signals } from '../../../lib/proof/pairing/verification-key.ts'
import { timesCurvePoint, timesTwistPoint } from './oracle-points.ts'
import { createSeededNumbers, type RandomNumbers } from './random-numbers.ts'
import { addTwistPoints, findPointOfOrder, randomTwistPoint, SMALL_ORDERS } from './twist-points.ts'

/** A proof and its public signals. */
export type Candidate = { proof: Proof; signals: Signals }

/** Changes of a valid candidate. It stays valid after the first three, and nearly always becomes invalid after the others. */
export const MUTATIONS: Record<
  string,
  (candidate: Candidate, numbers: RandomNumbers) => Candidate
> = {
  'nothing is changed': (candidate) => candidate,
  'A and B are negated': ({ proof: { a, b, c }, signals }) => ({
    proof: { a: negate(a), b: negateTwist(b), c },
    signals,
  }),
  'A is multiplied and B divided': ({ proof: { a, b, c }, signals }, { wide }) => {
    const k = 1n + (wide() % (r - 1n))
    return {
      proof: {
        a: timesCurvePoint(a, k) ?? a,
        b: timesTwistPoint(b, modularInverse(k, r)) ?? b,
        c,
      },
      signals,
    }
  },
  'a word is a number near 0, p or a power of two': (candidate, numbers) =>
    changeWord(candidate, numbers, () => numbers.field()),
  'a bit of a word is flipped': (candidate, { below, ...numbers }) =>
    changeWord(candidate, { below, ...numbers }, (word) => word ^ (1n << BigInt(below(256)))),
  'a multiple of p is added to a word': (candidate, numbers) =>
    changeWord(candidate, numbers, (word) => word + numbers.pick([-1n, 1n, 2n, 5n]) * p),
  'a signal is a number near 0, r or a power of two': (candidate, numbers) =>
    changeSignal(candidate, numbers, () =>
      numbers.pick([numbers.field(), modulo(numbers.wide(), r), r, 0n]),
    ),
  'a multiple of r is added to a signal': (candidate, numbers) =>
    changeSignal(candidate, numbers, (signal) => signal + numbers.pick([-1n, 1n, 2n, 5n]) * r),
  'a signal is one more': (candidate, numbers) =>
    changeSignal(candidate, numbers, (signal) => signal + 1n),
  'A or C is another point of the curve': ({ proof: { a, b, c }, signals }, { wide, pick }) => {
    const point = timesCurvePoint([1n, 2n], 1n + (wide() % (r - 1n))) ?? a
    return {
      proof: pick([
        { a: point, b, c },
        { a, b, c: point },
      ]),
      signals,
    }
  },
  'points are exchanged, zero or negated': ({ proof: { a, b, c }, signals }, { pick }) => {
    const zero: G1 = [0n, 0n]
    const choices = [
      { a: c, b, c: a },
      { a: negate(a), b, c },
      { a, b: negateTwist(b), c },
      { a, b, c: negate(c) },
      { a: zero, b, c },
      { a, b, c: zero },
      { a, b: [zero, zero] as const, c },
    ]
    return { proof: pick(choices), signals }
  },
  'B is on the twist, outside the subgroup': ({ proof: { a, b, c }, signals }, numbers) => {
    const outside = randomTwistPoint(numbers)
    return { proof: { a, b: numbers.pick([outside, addTwistPoints(b, outside) ?? b]), c }, signals }
  },
  'B has a small order, or a part of small order': ({ proof: { a, b, c }, signals }, numbers) => {
    const small = findSmallOrderPoint(numbers.pick(SMALL_ORDERS))
    return { proof: { a, b: numbers.pick([small, addTwistPoints(b, small) ?? b]), c }, signals }
  },
  'all words are numbers near 0, p or a power of two': ({ signals }, { field, pair }) => ({
    proof: { a: [field(), field()], b: [pair(), pair()], c: [field(), field()] },
    signals,
  }),
}

/** Finds a point of this order, and keeps it, since the search takes almost a second. */
function findSmallOrderPoint(order: bigint): G2 {
  const point =
    smallOrderPoints.get(order) ?? findPointOfOrder(createSeededNumbers(`order ${order}`), order)
  smallOrderPoints.set(order, point)
  return point
}

const smallOrderPoints = new Map<bigint, G2>()

function changeWord(
  { proof: { a, b, c }, signals }: Candidate,
  { below }: RandomNumbers,
  change: (word: bigint) => bigint,
): Candidate {
  const index = below(8)
  const words = [...a, ...b.flat(), ...c].map((word, i) => (i === index ? change(word) : word))
  const [w0 = 0n, w1 = 0n, w2 = 0n, w3 = 0n, w4 = 0n, w5 = 0n, w6 = 0n, w7 = 0n] = words
  return {
    proof: {
      a: [w0, w1],
      b: [
        [w2, w3],
        [w4, w5],
      ],
      c: [w6, w7],
    },
    signals,
  }
}

function changeSignal(
  { proof, signals }: Candidate,
  { below }: RandomNumbers,
  change: (signal: bigint) => bigint,
): Candidate {
  const index = below(signals.length)
  return { proof, signals: signals.with(index, change(signals[index] ?? 0n)) }
}

function negate([x, y]: G1): G1 {
  return [x, modulo(-y, p)]
}

function negateTwist([x, y]: G2): G2 {
  return [x, [modulo(-y[0], p), modulo(-y[1], p)]]
}
