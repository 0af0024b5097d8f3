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
const ceremonyProofs = realProofs.filter(({ key }) => ceremonyKeys.has(key))

describe('the pool verifies real proofs', () => {
  test.each(ceremonyProofs)(
    'the real proof $name is valid for the key $key',
    async ({ key, decoded, signals }) => {
      expect(await verify([key], decoded, signals)).toBe(true)
    },
  )

  test.each(ceremonyProofs)(
    'the real proof $name is invalid for other keys',
    async ({ key, decoded, signals }) => {
      const otherKeys = [...ceremonyKeys.keys()].filter((name) => name !== key)
      expect(await verify(otherKeys, decoded, signals)).toBe(false)
    },
  )

  test.each(ceremonyProofs)(
    'the real proof $name is valid if one of several keys accepts it',
    async ({ decoded, signals }) => {
      expect(await verify([...ceremonyKeys.keys()], decoded, signals)).toBe(true)
    },
  )

  test('a proof is invalid without a key', async () => {
    expect(await verify([], proof, signals)).toBe(false)
  })
})

describe('the pool rejects a proof with other signals', () => {
  test.each([
    ['root', 0],
    ['person', 1],
    ['signal', 2],
    ['action', 3],
  ])('a proof is invalid for another %s', async (_meaning, index) => {
    expect(await verify(v3, proof, withChange(index, 1n))).toBe(false)
  })
})

describe('the pool rejects input that a pairing library may accept', () => {
  test.each([1n, 2n, 3n, 4n, 5n])(
    'the pool rejects a proof if its nullifier is increased by %d times the modulus',
    async (k) => {
      expect(await verify(v3, proof, withChange(1, k * r))).toBe(false)
    },
  )

  test.each([0, 2, 3])(
    'the pool rejects a proof if its signal %i is increased by the modulus',
    async (index) => {
      expect(await verify(v3, proof, withChange(index, r))).toBe(false)
    },
  )

  test.each(signals.map((_, index) => index))(
    'the pool rejects a proof if its signal %i is reduced by the modulus',
    async (index) => {
      expect(await verify(v3, proof, withChange(index, -r))).toBe(false)
    },
  )

  test.each([0, 3, 5])('the pool rejects a proof with %i signals', async (count) => {
    const wrongSignals = [...signals, 1n].slice(0, count)
    expect(await Reflect.apply(verify, null, [v3, proof, wrongSignals])).toBe(false)
  })

  test.each([p, -p, 5n * p])(
    'the pool rejects a proof with a coordinate to which %d is added',
    async (n) => {
      const proofs: Proof[] = [
        { a: [a[0] + n, a[1]], b, c },
        { a: [a[0], a[1] + n], b, c },
        { a, b: [[b[0][0] + n, b[0][1]], b[1]], c },
        { a, b: [[b[0][0], b[0][1] + n], b[1]], c },
        { a, b: [b[0], [b[1][0] + n, b[1][1]]], c },
        { a, b: [b[0], [b[1][0], b[1][1] + n]], c },
        { a, b, c: [c[0] + n, c[1]] },
        { a, b, c: [c[0], c[1] + n] },
      ]
      expect(await verifyAll(proofs)).toEqual(proofs.map(() => false))
    },
  )

  const zero: G1 = [0n, 0n]
  const zeroPair = [zero, zero] as const
  test.each<[string, Proof]>([
    ['an A off the curve', { a: [a[0], a[1] + 1n], b, c }],
    ['a B off the twist', { a, b: [b[0], [b[1][0], b[1][1] + 1n]], c }],
    ['a C off the curve', { a, b, c: [c[1], c[0]] }],
    ['swapped real and imaginary parts', { a, b: [swap(b[0]), swap(b[1])], c }],
    ['swapped A and C', { a: c, b, c: a }],
    ['a zero A', { a: zero, b, c }],
    ['a zero B', { a, b: zeroPair, c }],
    ['a zero C', { a, b, c: zero }],
    ['only zero points', { a: zero, b: zeroPair, c: zero }],
    ['a B outside the subgroup', { a, b: outsideSubgroup, c }],
  ])('the pool rejects a proof with %s', async (_fault, wrongProof) => {
    expect(await verify(v3, wrongProof, signals)).toBe(false)
  })

  test('the pool rejects proofs with arbitrary coordinates', async () => {
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
    expect(await verifyAll(proofs)).toEqual(proofs.map(() => false))
  })
})

describe('Groth16 proofs are malleable', () => {
  test('the proof (-A, -B, C) is also valid, so a proof cannot be recognised by its bytes', async () => {
    const negated: Proof = { a: negate(a), b: [b[0], [p - b[1][0], p - b[1][1]]], c }
    expect(await verify(v3, negated, signals)).toBe(true)
  })

  test('the proof (-A, B, C) is invalid', async () => {
    expect(await verify(v3, { a: negate(a), b, c }, signals)).toBe(false)
  })
})

describe('the pool queues proofs, and survives a crash of a thread', () => {
  test('the error for an unknown key contains its name', async () => {
    await expect(verify(['semaphore-v9'], proof, signals)).rejects.toThrow(/semaphore-v9/)
  })

  test('each of 40 concurrent verifications gets its own answer', async () => {
    const verdicts = Array.from({ length: 40 }, (_, i) => i % 3 === 0)
    const answers = await Promise.all(
      verdicts.map((isValid) => verify(v3, proof, isValid ? signals : withChange(1, 1n))),
    )
    expect(answers).toEqual(verdicts)
  })

  test('the pool queues up to maxQueue proofs, and refuses further proofs at once', async () => {
    const small = startGroth16Pool(ceremonyKeys, { threads: 1, maxQueue: 2 })
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, () => small.verify(v3, proof, signals)),
    )
    const refusals = results.filter((result) => result.status === 'rejected')
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(3)
    expect(refusals.every(({ reason }) => reason instanceof Overloaded)).toBe(true)
    expect(small.queueLength).toBe(0)
    expect(await small.verify(v3, proof, signals)).toBe(true)
    await small.close()
  })

  test('queueLength is the number of waiting proofs', async () => {
    const verifications = Array.from({ length: 12 }, () => verify(v3, proof, signals))
    expect(pool.queueLength).toBe(10)
    await Promise.all(verifications)
    expect(pool.queueLength).toBe(0)
  })

  test('a crash of a thread rejects its verifications, and the thread is replaced', async () => {
    const thread = new URL('../../../support/verification/crashing-thread.ts', import.meta.url)
    const fragile = startGroth16Pool(ceremonyKeys, { threads: 1, maxQueue: 10, thread })
    await fragile.warmUp()
    const deadly: Signals = [666n, signals[1], signals[2], signals[3]]
    const [crashed, next, after] = await Promise.allSettled([
      fragile.verify(v3, proof, deadly),
      fragile.verify(v3, proof, signals),
      fragile.verify(v3, proof, signals),
    ])
    const threadLost = { status: 'rejected', reason: expect.any(ThreadLost) }
    expect([crashed, next]).toMatchObject([threadLost, threadLost])
    expect(after).toEqual({ status: 'fulfilled', value: true })
    expect(await fragile.verify(v3, proof, signals)).toBe(true)
    await fragile.close()
  })

  test.each([
    [1, 1],
    [2, 2],
    [2, 30],
  ])('close lets the verifications of %i threads finish: %i', async (threads, count) => {
    const closing = startGroth16Pool(ceremonyKeys, { threads, maxQueue: 50 })
    await closing.warmUp()
    const verifications = Array.from({ length: count }, () => closing.verify(v3, proof, signals))
    await closing.close()
    expect(await Promise.all(verifications)).toEqual(Array(count).fill(true))
  })

  // Runs in a separate process, since a failure would crash it.
  test('the pool may be closed at any moment of its start', async () => {
    const program = fileURLToPath(
      new URL('../../../support/verification/close-while-starting.ts', import.meta.url),
    )
    const result = promisify(execFile)(process.execPath, [program])
    await expect(result).resolves.toEqual({ stdout: '', stderr: '' })
  })
})

function verifyAll(proofs: Proof[]) {
  return Promise.all(proofs.map((each) => verify(v3, each, signals)))
}

function withChange(index: number, by: bigint): Signals {
  const [root, nullifier, signal, external] = signals.with(index, (signals[index] ?? 0n) + by)
  return [root ?? 0n, nullifier ?? 0n, signal ?? 0n, external ?? 0n]
}

function negate([x, y]: G1): G1 {
  return [x, p - y]
}

function swap([x, y]: G1): G1 {
  return [y, x]
}
