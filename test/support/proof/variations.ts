import { type Curve, curves } from 'snarkjs'
import type { Proof } from '../../../lib/proof/encoding.ts'
import { type G1, type G2, modularInverse, modulo, p, r } from '../../../lib/proof/field.ts'
import type { Signals } from '../../../lib/proof/pairing/verification-key.ts'
import { outsideSubgroup } from './points.ts'

/** A proof, its public signals, and the name of its verification key. */
export type Case = { key: string; proof: Proof; signals: Signals }

/** Changes a valid case; `random` returns a number below r. */
export type Variation = (good: Case, random: () => bigint) => Case

/** Returns ways to change a proof. The oracle decides whether the result is valid. */
export async function variations(): Promise<Record<string, Variation>> {
  const curve = await curves.getCurveFromName('bn128', { singleThread: true })
  return {
    'nothing changed': (good) => good,
    'another root': signal(0, (n) => n + 1n),
    'another person': signal(1, (n, random) => modulo(n + random, r)),
    'another signal': signal(2, (_, random) => random),
    'no action': signal(3, () => 0n),
    'a signal plus the modulus': signal(1, (n, random) => n + r * (1n + (random % 5n))),
    'a signal minus the modulus': signal(2, (n) => n - r),
    'two signals exchanged': ({ signals: [a = 0n, b = 0n, ...others], ...rest }) => ({
      ...rest,
      signals: [b, a, ...others],
    }),
    'A negated': points(({ a, b, c }) => ({ a: negate(a), b, c })),
    'A and B negated': points(({ a, b, c }) => ({ a: negate(a), b: negateTwist(b), c })),
    'C negated': points(({ a, b, c }) => ({ a, b, c: negate(c) })),
    'A times k, B divided by k': points(({ a, b, c }, k) => ({
      a: timesG1(curve, a, k),
      b: timesG2(curve, b, modularInverse(k, r)),
      c,
    })),
    'A times k': points(({ a, b, c }, k) => ({ a: timesG1(curve, a, k), b, c })),
    'C times k': points(({ a, b, c }, k) => ({ a, b, c: timesG1(curve, c, k) })),
    'A and C exchanged': points(({ a, b, c }) => ({ a: c, b, c: a })),
    'parts of B exchanged': points(({ a, b: [x, y], c }) => ({ a, b: [swap(x), swap(y)], c })),
    'B outside the subgroup': points(({ a, c }) => ({ a, b: outsideSubgroup, c })),
    'A zero': points(({ b, c }) => ({ a: [0n, 0n], b, c })),
    'C zero': points(({ a, b }) => ({ a, b, c: [0n, 0n] })),
    'B zero': points(({ a, c }) => ({ a, b: [ZERO, ZERO], c })),
    'a bit of a coordinate flipped': points(flipBit),
    'a coordinate plus the modulus': points((proof, random) => addModulus(proof, random)),
    'random coordinates': points((_, n) => ({
      a: [n, n],
      b: [
        [n, 1n],
        [2n, n],
      ],
      c: [n, 3n],
    })),
  }
}

const ZERO: G1 = [0n, 0n]

function signal(index: number, change: (n: bigint, random: bigint) => bigint): Variation {
  return ({ signals, ...rest }, random) => ({
    ...rest,
    signals: signals.with(index, change(signals[index] ?? 0n, random())),
  })
}

function points(change: (proof: Proof, random: bigint) => Proof): Variation {
  return ({ proof, ...rest }, random) => ({ ...rest, proof: change(proof, random()) })
}

function flipBit(proof: Proof, random: bigint): Proof {
  return changeWord(proof, random, (word) => word ^ (1n << ((random >> 8n) % 254n)))
}

function addModulus(proof: Proof, random: bigint): Proof {
  return changeWord(proof, random, (word) => word + p * (1n + ((random >> 8n) % 4n)))
}

function changeWord({ a, b, c }: Proof, random: bigint, change: (word: bigint) => bigint): Proof {
  const words = [...a, ...b.flat(), ...c]
  const index = Number(random % 8n)
  const newWords = words.with(index, change(words[index] ?? 0n))
  const word = (at: number) => newWords[at] ?? 0n
  return {
    a: [word(0), word(1)],
    b: [
      [word(2), word(3)],
      [word(4), word(5)],
    ],
    c: [word(6), word(7)],
  }
}

function negate([x, y]: G1): G1 {
  return [x, modulo(-y, p)]
}

function negateTwist([x, [real, imaginary]]: G2): G2 {
  return [x, [modulo(-real, p), modulo(-imaginary, p)]]
}

function swap([first, second]: G1): G1 {
  return [second, first]
}

function timesG1({ G1 }: Curve, [x, y]: G1, k: bigint): G1 {
  const [kx, ky] = G1.toObject(G1.toAffine(G1.timesScalar(G1.fromObject([x, y, 1n]), k)))
  return [kx, ky]
}

function timesG2({ G2 }: Curve, [x, y]: G2, k: bigint): G2 {
  const point = G2.fromObject([[...x], [...y], [1n, 0n]])
  const [kx, ky] = G2.toObject(G2.toAffine(G2.timesScalar(point, k)))
  return [kx, ky]
}
