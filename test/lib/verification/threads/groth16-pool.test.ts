import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import type { Proof } from '../../../../lib/proof/encoding.ts'
import { realProof, realProofs } from '../../../../lib/proof/examples/real-proofs.ts'
import { type G1, p, r } from '../../../../lib/proof/field.ts'
import { ceremonyKeys } from '../../../../lib/proof/keys.ts'
import type { Signals } from '../../../../lib/proof/pairing/verification-key.ts'
import {
  Overloaded,
  startGroth16Pool,
  ThreadLost,
} from '../../../../lib/verification/threads/groth16-pool.ts'
import { outsideSubgroup } from '../../../support/proof/points.ts'

const v3 = ['semaphore-v3-depth-30']
const pool = startGroth16Pool(ceremonyKeys, { threads: 2, maxQueue: 1_000 })
const { verify } = pool
afterAll(() => pool.close())

const { decoded: proof, signals } = realProof('hola-mundo')
const { a, b, c } = proof
const known = realProofs.filter(({ key }) => ceremonyKeys.has(key))

describe('real proofs', () => {
  test.each(known)('$name holds under $key', async ({ key, decoded, signals }) => {
    expect(await verify([key], decoded, signals)).toBe(true)
  })

  test.each(known)('$name holds under no other key', async ({ key, decoded, signals }) => {
    const others = [...ceremonyKeys.keys()].filter((name) => name !== key)
    expect(await verify(others, decoded, signals)).toBe(false)
  })

  test.each(known)(
    '$name holds when one of several keys accepts it',
    async ({ decoded, signals }) => {
      expect(await verify([...ceremonyKeys.keys()], decoded, signals)).toBe(true)
    },
  )

  test('are invalid when no key is named', async () => {
    expect(await verify([], proof, signals)).toBe(false)
  })
})

describe('a proof says nothing about', () => {
  test.each([
    ['another root', 0],
    ['another person', 1],
    ['another signal', 2],
    ['another action', 3],
  ])('%s', async (_meaning, index) => {
    expect(await verify(v3, proof, changed(index, 1n))).toBe(false)
  })
})

describe('refused, although a pairing library may not', () => {
  test.each([1n, 2n, 3n, 4n, 5n])('a nullifier plus %d times the modulus', async (k) => {
    expect(await verify(v3, proof, changed(1, k * r))).toBe(false)
  })

  test.each([0, 2, 3])('signal %i plus the modulus', async (index) => {
    expect(await verify(v3, proof, changed(index, r))).toBe(false)
  })

  test.each(signals.map((_, index) => index))('signal %i minus the modulus', async (index) => {
    expect(await verify(v3, proof, changed(index, -r))).toBe(false)
  })

  test.each([0, 3, 5])('%i signals', async (count) => {
    const wrong = [...signals, 1n].slice(0, count)
    expect(await Reflect.apply(verify, null, [v3, proof, wrong])).toBe(false)
  })

  test.each([p, -p, 5n * p])('a coordinate plus %d', async (n) => {
    const moved: Proof[] = [
      { a: [a[0] + n, a[1]], b, c },
      { a: [a[0], a[1] + n], b, c },
      { a, b: [[b[0][0] + n, b[0][1]], b[1]], c },
      { a, b: [[b[0][0], b[0][1] + n], b[1]], c },
      { a, b: [b[0], [b[1][0] + n, b[1][1]]], c },
      { a, b: [b[0], [b[1][0], b[1][1] + n]], c },
      { a, b, c: [c[0] + n, c[1]] },
      { a, b, c: [c[0], c[1] + n] },
    ]
    expect(await all(moved)).toEqual(moved.map(() => false))
  })

  const zero: G1 = [0n, 0n]
  const zeroPair = [zero, zero] as const
  test.each<[string, Proof]>([
    ['A off the curve', { a: [a[0], a[1] + 1n], b, c }],
    ['B off the twist', { a, b: [b[0], [b[1][0], b[1][1] + 1n]], c }],
    ['C off the curve', { a, b, c: [c[1], c[0]] }],
    ['real and imaginary parts swapped', { a, b: [swap(b[0]), swap(b[1])], c }],
    ['A and C swapped', { a: c, b, c: a }],
    ['A zero', { a: zero, b, c }],
    ['B zero', { a, b: zeroPair, c }],
    ['C zero', { a, b, c: zero }],
    ['all points zero', { a: zero, b: zeroPair, c: zero }],
    ['B outside the subgroup', { a, b: outsideSubgroup, c }],
  ])('%s', async (_fault, wrong) => {
    expect(await verify(v3, wrong, signals)).toBe(false)
  })

  test('eight random numbers', async () => {
    const noise = Array.from({ length: 20 }, (_, i) => (p / 3n) * BigInt(i + 1))
    const proofs = noise.map((n): Proof => {
      const x = n % p
      return {
        a: [x, 1n],
        b: [
          [x, 2n],
          [x, x],
        ],
        c: [3n, x],
      }
    })
    expect(await all(proofs)).toEqual(proofs.map(() => false))
  })
})

describe('Groth16 is malleable', () => {
  test('so the bytes of a proof identify nothing: (-A, -B, C) holds as well', async () => {
    const negated: Proof = { a: negate(a), b: [b[0], [p - b[1][0], p - b[1][1]]], c }
    expect(await verify(v3, negated, signals)).toBe(true)
  })

  test('but (-A, B, C) does not hold', async () => {
    expect(await verify(v3, { a: negate(a), b, c }, signals)).toBe(false)
  })
})

describe('the pool', () => {
  test('names the key that it does not have', async () => {
    await expect(verify(['semaphore-v9'], proof, signals)).rejects.toThrow(/semaphore-v9/)
  })

  test('answers many at once, each with its own answer', async () => {
    const valid = Array.from({ length: 40 }, (_, i) => i % 3 === 0)
    const answers = await Promise.all(
      valid.map((right) => verify(v3, proof, right ? signals : changed(1, 1n))),
    )
    expect(answers).toEqual(valid)
  })

  test('takes what is allowed to wait and refuses the rest at once', async () => {
    const small = startGroth16Pool(ceremonyKeys, { threads: 1, maxQueue: 2 })
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, () => small.verify(v3, proof, signals)),
    )
    const refused = results.filter((result) => result.status === 'rejected')
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(3)
    expect(refused.every(({ reason }) => reason instanceof Overloaded)).toBe(true)
    expect(small.queueLength).toBe(0)
    expect(await small.verify(v3, proof, signals)).toBe(true)
    await small.close()
  })

  test('counts what waits', async () => {
    const waiting = Array.from({ length: 12 }, () => verify(v3, proof, signals))
    expect(pool.queueLength).toBe(10)
    await Promise.all(waiting)
    expect(pool.queueLength).toBe(0)
  })

  test('never takes a crash for an answer, and replaces the thread', async () => {
    const thread = new URL('../../../support/verification/crashing-thread.ts', import.meta.url)
    const fragile = startGroth16Pool(ceremonyKeys, { threads: 1, maxQueue: 10, thread })
    await fragile.warmUp()
    const deadly: Signals = [666n, signals[1], signals[2], signals[3]]
    const [crashed, next, after] = await Promise.allSettled([
      fragile.verify(v3, proof, deadly),
      fragile.verify(v3, proof, signals),
      fragile.verify(v3, proof, signals),
    ])
    const lost = { status: 'rejected', reason: expect.any(ThreadLost) }
    expect([crashed, next]).toMatchObject([lost, lost])
    expect(after).toEqual({ status: 'fulfilled', value: true })
    expect(await fragile.verify(v3, proof, signals)).toBe(true)
    await fragile.close()
  })

  test('ends what waits when it closes', async () => {
    const closing = startGroth16Pool(ceremonyKeys, { threads: 1, maxQueue: 10 })
    await closing.warmUp()
    const running = closing.verify(v3, proof, signals)
    await closing.close()
    expect(await running).toBe(true)
  })

  // In a process of its own, since a failure would crash it.
  test('may be closed at any moment of its start', async () => {
    const program = fileURLToPath(
      new URL('../../../support/verification/close-while-starting.ts', import.meta.url),
    )
    const ended = promisify(execFile)(process.execPath, [program])
    await expect(ended).resolves.toEqual({ stdout: '', stderr: '' })
  })
})

function all(proofs: Proof[]) {
  return Promise.all(proofs.map((each) => verify(v3, each, signals)))
}

function changed(index: number, by: bigint): Signals {
  const [root, nullifier, signal, external] = signals.with(index, (signals[index] ?? 0n) + by)
  return [root ?? 0n, nullifier ?? 0n, signal ?? 0n, external ?? 0n]
}

function negate([x, y]: G1): G1 {
  return [x, p - y]
}

function swap([x, y]: G1): G1 {
  return [y, x]
}
