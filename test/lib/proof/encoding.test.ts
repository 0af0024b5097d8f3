import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  externalNullifier,
  formatField,
  formatProof,
  hashToField,
  legacyExternalNullifier,
  parseField,
  parseProof,
} from '../../../lib/proof/encoding.ts'
import { realProof, realProofs } from '../../../lib/proof/examples/real-proofs.ts'
import { p, r } from '../../../lib/proof/field.ts'
import nullifiers from '../../support/proof/external-nullifiers.json' with { type: 'json' }
import hashes from '../../support/proof/hash-to-field.json' with { type: 'json' }

describe('hashToField', () => {
  test.each(hashes)('of $input', ({ input, hash }) => {
    expect(formatField(hashToField(input))).toBe(hash)
  })

  test('takes bytes as they are', () => {
    expect(hashToField(Uint8Array.of(0x0a, 0xbc))).toBe(hashToField('0xabc'))
  })

  test.each(['\ud800', '0x\n', '0X12', '\0', '💥'.repeat(10_000)])(
    'never throws, whatever the text',
    (text) => {
      expect(hashToField(text)).toBe(hashToField(Buffer.from(text)))
    },
  )

  test('is always below the modulus', () => {
    expect(hashToField('anything') < 1n << 248n).toBe(true)
  })
})

describe('external nullifier', () => {
  test.each(nullifiers.app_and_action)(
    'of app $app_id and action "$action"',
    ({ app_id, action, external_nullifier }) => {
      expect(formatField(externalNullifier(app_id, action))).toBe(external_nullifier)
    },
  )

  test.each(nullifiers.legacy)('of legacy $action_id', ({ action_id, external_nullifier }) => {
    expect(formatField(legacyExternalNullifier(action_id))).toBe(external_nullifier)
  })

  test.each(realProofs.filter(({ app_id }) => app_id))(
    'is the one that $name was made for',
    ({ app_id = '', action = '', external_nullifier }) => {
      expect(formatField(externalNullifier(app_id, action))).toBe(external_nullifier)
    },
  )

  test('takes an action that looks like hex as text', () => {
    expect(externalNullifier('app_1', '0x1234')).toBe(
      externalNullifier('app_1', Buffer.from('0x1234').toString()),
    )
    expect(externalNullifier('app_1', '0x1234')).not.toBe(externalNullifier('app_1', '\x12\x34'))
  })
})

describe('a field element', () => {
  const canonical = `0x${'0'.repeat(60)}0aBc`

  test.each(['0xabc', 'abc', 'ABC', '0xABC', '0x0abc', canonical, canonical.slice(2)])(
    'has many spellings: %s',
    (text) => {
      expect(parseField(text)).toBe(0xabcn)
    },
  )

  test.each([
    '',
    '0x',
    ' 1',
    '1 ',
    '1\n',
    '-1',
    '0x-1',
    '0x 1',
    '1e+3',
    'xyz',
    '0xg',
    '0X1',
    '0x0x1',
    '1n',
    `0${canonical.slice(2)}`,
    '١',
  ])('is not written %j', (text) => {
    expect(parseField(text)).toBeNull()
  })

  test('is below the modulus', () => {
    expect(parseField((r - 1n).toString(16))).toBe(r - 1n)
    expect(parseField(r.toString(16))).toBeNull()
  })

  test.each([1n, 2n, 3n, 4n, 5n])('plus %d times the modulus is no second spelling', (k) => {
    expect(parseField(formatField(7n + k * r))).toBeNull()
  })

  test('is written with 64 lower-case digits', () => {
    expect(formatField(0xabcn)).toBe(canonical.toLowerCase())
    expect(formatField(r - 1n)).toBe(`0x${(r - 1n).toString(16)}`)
  })
})

describe('a proof', () => {
  const { proof: abi, compressed, decoded } = realProof('hola-mundo')
  const hex = split(abi)
  const words = hex.map((word) => word.slice(2))
  const nested = nest(hex)
  const decimal = nest(hex.map((word) => BigInt(word).toString()))

  test('has the imaginary part of G2 first on the wire', () => {
    const [ax, ay, bxImaginary, bxReal, byImaginary, byReal, cx, cy] = hex.map(BigInt)
    const b = [
      [bxReal, bxImaginary],
      [byReal, byImaginary],
    ]
    expect(decoded).toEqual({ a: [ax, ay], b, c: [cx, cy] })
  })

  test.each([
    ['with 0x', abi],
    ['without 0x', abi.slice(2)],
    ['in upper case', abi.toUpperCase()],
    ['nested JSON', JSON.stringify(nested)],
    ['nested JSON with spaces', ` ${JSON.stringify(nested, null, 2)}\n`],
    ['nested JSON in decimal', JSON.stringify(decimal)],
    ['nested JSON with escaped quotes', JSON.stringify(nested).replaceAll('"', '\\"')],
    ['nested JSON as a JSON string', JSON.stringify(JSON.stringify(nested))],
    ['a JSON list of eight', JSON.stringify(hex)],
    ['compressed', compressed],
    ['compressed without 0x', compressed.slice(2)],
    ['compressed and padded', compressed + '0'.repeat(256)],
    ['compressed, a JSON list of four', JSON.stringify(split(compressed))],
  ])('is read %s', (_form, text) => {
    expect(parseProof(text)).toEqual(decoded)
  })

  test.each(realProofs)('of $name is the same compressed', ({ proof, compressed }) => {
    expect(parseProof(compressed)).toEqual(parseProof(proof))
  })

  test.each(realProofs)('of $name is written as it was read', ({ proof, decoded }) => {
    expect(formatProof(decoded)).toBe(proof)
  })

  test('in JSON may have short hex words', () => {
    const short = parseProof('[["0x1","0x2"],[["0x3","4"],["5","0x06"]],["0x7","0xA"]]')
    const b = [
      [4n, 3n],
      [6n, 5n],
    ]
    expect(short).toEqual({ a: [1n, 2n], b, c: [7n, 10n] })
  })

  test.each([
    ['empty', ''],
    ['only a prefix', '0x'],
    ['one digit short', abi.slice(0, -1)],
    ['one byte short', abi.slice(0, -2)],
    ['with a trailing byte', `${abi}00`],
    ['with a trailing newline', `${abi}\n`],
    ['with a digit that is none', `${abi.slice(0, -1)}g`],
    ['with a sign', `0x-${abi.slice(3)}`],
    ['plain text', 'not a proof'],
    ['JSON of something else', '{"proof":[]}'],
    ['JSON null', 'null'],
    ['JSON with a word too many', JSON.stringify([...hex, '0x0'])],
    ['JSON nested wrongly', JSON.stringify([hex.slice(0, 4), hex.slice(4)])],
    ['JSON with numbers', '[[1,2],[[3,4],[5,6]],[7,8]]'],
    ['JSON with a long word', JSON.stringify([`0x0${words[0]}`, ...hex.slice(1)])],
    ['JSON with a negative word', JSON.stringify(['-1', ...hex.slice(1)])],
    ['JSON cut off', JSON.stringify(nested).slice(0, -1)],
    ['deep JSON', '['.repeat(40_000) + ']'.repeat(40_000)],
    ['deep JSON without an end', '['.repeat(80_000)],
    ['a long list', JSON.stringify(Array(20_000).fill('0x1'))],
    ['six words', JSON.stringify(hex.slice(0, 6))],
  ])('is not read from a text that is %s', (_fault, text) => {
    expect(parseProof(text)).toBeNull()
  })

  test.each(words.map((_, index) => index))('has no word %i at or over the modulus', (index) => {
    const withWord = (n: bigint) =>
      `0x${words.with(index, n.toString(16).padStart(64, '0')).join('')}`
    expect(parseProof(withWord(p - 1n))).not.toBeNull()
    expect(parseProof(withWord(p))).toBeNull()
    expect(parseProof(withWord(BigInt(hex[index] ?? 0) + p))).toBeNull()
    expect(parseProof(withWord((1n << 256n) - 1n))).toBeNull()
  })

  test('that is compressed has no x at or over the modulus', () => {
    const [a = '', b0 = '', b1 = '', c = ''] = split(compressed)
    const over = (word: string, bits: bigint) => `0x${(BigInt(word) + (p << bits)).toString(16)}`
    expect(parseProof(JSON.stringify([over(a, 1n), b0, b1, c]))).toBeNull()
    expect(parseProof(JSON.stringify([a, over(b0, 0n), b1, c]))).toBeNull()
    expect(parseProof(JSON.stringify([a, b0, b1, over(c, 1n)]))).toBeNull()
  })
})

describe('whatever the text', () => {
  const anything = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.json(),
    fc.stringMatching(/^(0x)?[0-9a-fA-F]{0,600}$/),
  )

  test('a scalar is null or below the modulus, and reads back from its one spelling', () => {
    fc.assert(
      fc.property(anything, (text) => {
        const field = parseField(text)
        if (field === null) return
        expect(field < r).toBe(true)
        expect(parseField(formatField(field))).toBe(field)
      }),
    )
  })

  test('a proof is null or reads back from its one spelling', () => {
    fc.assert(
      fc.property(anything, (text) => {
        const proof = parseProof(text)
        if (proof) expect(parseProof(formatProof(proof))).toEqual(proof)
      }),
    )
  })

  test('the hash is below 2^248', () => {
    fc.assert(fc.property(anything, (text) => hashToField(text) < 1n << 248n))
  })
})

function nest([a, b, c, d, e, f, g, h]: string[]) {
  return [
    [a, b],
    [
      [c, d],
      [e, f],
    ],
    [g, h],
  ]
}

function split(text: string): string[] {
  return Array.from(text.slice(2).matchAll(/.{64}/g), ([word]) => `0x${word}`)
}
