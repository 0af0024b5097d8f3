import type { Proof } from '../../../lib/proof/encoding.ts'
import { type G1, type G2, modularInverse, modulo, p, r } from '../../../lib/proof/field.ts'
import type { Signals } from '../../../lib/proof/pairing/verification-key.ts'
import { timesCurvePoint, timesTwistPoint } from './oracle-points.ts'
import { type RandomNumbers, seededNumbers } from './random-numbers.ts'
import { addTwistPoints, pointOfOrder, randomTwistPoint, SMALL_ORDERS } from './twist-points.ts'

/** A proof and what it is said to prove. */
export type Candidate = { proof: Proof; signals: Signals }

/** Ways to change a valid candidate. The first three leave it valid, nearly all others do not. */
export const MUTATIONS: Record<
  string,
  (candidate: Candidate, numbers: RandomNumbers) => Candidate
> = {
  'nothing is changed': (candidate) => candidate,
  'A and B are negated': ({ proof: { a, b, c }, signals }) => ({
    proof: { a: negated(a), b: negatedTwist(b), c },
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
    withWord(candidate, numbers, () => numbers.field()),
  'a bit of a word is flipped': (candidate, { below, ...numbers }) =>
    withWord(candidate, { below, ...numbers }, (word) => word ^ (1n << BigInt(below(256)))),
  'p is added to a word, or taken from it': (candidate, numbers) =>
    withWord(candidate, numbers, (word) => word + numbers.one([-1n, 1n, 2n, 5n]) * p),
  'a signal is a number near 0, r or a power of two': (candidate, numbers) =>
    withSignal(candidate, numbers, () =>
      numbers.one([numbers.field(), modulo(numbers.wide(), r), r, 0n]),
    ),
  'a multiple of r is added to a signal': (candidate, numbers) =>
    withSignal(candidate, numbers, (signal) => signal + numbers.one([-1n, 1n, 2n, 5n]) * r),
  'a signal is one more': (candidate, numbers) =>
    withSignal(candidate, numbers, (signal) => signal + 1n),
  'A or C is another point of the curve': ({ proof: { a, b, c }, signals }, { wide, one }) => {
    const point = timesCurvePoint([1n, 2n], 1n + (wide() % (r - 1n))) ?? a
    return {
      proof: one([
        { a: point, b, c },
        { a, b, c: point },
      ]),
      signals,
    }
  },
  'points are exchanged, zero or negated': ({ proof: { a, b, c }, signals }, { one }) => {
    const zero: G1 = [0n, 0n]
    const choices = [
      { a: c, b, c: a },
      { a: negated(a), b, c },
      { a, b: negatedTwist(b), c },
      { a, b, c: negated(c) },
      { a: zero, b, c },
      { a, b, c: zero },
      { a, b: [zero, zero] as const, c },
    ]
    return { proof: one(choices), signals }
  },
  'B is on the twist, outside the subgroup': ({ proof: { a, b, c }, signals }, numbers) => {
    const outside = randomTwistPoint(numbers)
    return { proof: { a, b: numbers.one([outside, addTwistPoints(b, outside) ?? b]), c }, signals }
  },
  'B has a small order, or such a part': ({ proof: { a, b, c }, signals }, numbers) => {
    const small = smallOrderPoint(numbers.one(SMALL_ORDERS))
    return { proof: { a, b: numbers.one([small, addTwistPoints(b, small) ?? b]), c }, signals }
  },
  'all words are numbers near 0, p or a power of two': ({ signals }, { field, pair }) => ({
    proof: { a: [field(), field()], b: [pair(), pair()], c: [field(), field()] },
    signals,
  }),
}

/** Each is made once, as it takes a good part of a second. */
function smallOrderPoint(order: bigint): G2 {
  const point = smallOrderPoints.get(order) ?? pointOfOrder(seededNumbers(`order ${order}`), order)
  smallOrderPoints.set(order, point)
  return point
}

const smallOrderPoints = new Map<bigint, G2>()

function withWord(
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

function withSignal(
  { proof, signals }: Candidate,
  { below }: RandomNumbers,
  change: (signal: bigint) => bigint,
): Candidate {
  const index = below(4)
  const [s0 = 0n, s1 = 0n, s2 = 0n, s3 = 0n] = signals.map((signal, i) =>
    i === index ? change(signal) : signal,
  )
  return { proof, signals: [s0, s1, s2, s3] }
}

function negated([x, y]: G1): G1 {
  return [x, modulo(-y, p)]
}

function negatedTwist([x, y]: G2): G2 {
  return [x, [modulo(-y[0], p), modulo(-y[1], p)]]
}
