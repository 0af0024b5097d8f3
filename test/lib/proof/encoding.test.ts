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

describe('hashToField returns the known hashes', () => {
  test.each(hashes)('the hash of $input equals the known hash', ({ input, hash }) => {
    expect(formatField(hashToField(input))).toBe(hash)
  })

  test('hashToField hashes bytes unchanged', () => {
    expect(hashToField(Uint8Array.of(0x0a, 0xbc))).toBe(hashToField('0xabc'))
  })

  test.each(['\ud800', '0x\n', '0X12', '\0', '💥'.repeat(10_000)])(
    'hashToField never throws and hashes %j as UTF-8',
    (text) => {
      expect(hashToField(text)).toBe(hashToField(Buffer.from(text)))
    },
  )

  test('the hash of a text is below 2^248, and therefore below the modulus', () => {
    expect(hashToField('anything') < 1n << 248n).toBe(true)
  })
})

describe('external nullifiers equal the known values', () => {
  test.each(nullifiers.app_and_action)(
    'the external nullifier of app $app_id and action "$action" equals the known value',
    ({ app_id, action, external_nullifier }) => {
      expect(formatField(externalNullifier(app_id, action))).toBe(external_nullifier)
    },
  )

  test.each(nullifiers.legacy)(
    'the external nullifier of the legacy action $action_id equals the known value',
    ({ action_id, external_nullifier }) => {
      expect(formatField(legacyExternalNullifier(action_id))).toBe(external_nullifier)
    },
  )

  test.each(realProofs.filter(({ app_id }) => app_id))(
    'the real proof $name has the external nullifier of its app and action',
    ({ app_id = '', action = '', external_nullifier }) => {
      expect(formatField(externalNullifier(app_id, action))).toBe(external_nullifier)
    },
  )

  test('externalNullifier hashes an action that looks like hex as text', () => {
    expect(externalNullifier('app_1', '0x1234')).toBe(
      externalNullifier('app_1', Buffer.from('0x1234').toString()),
    )
    expect(externalNullifier('app_1', '0x1234')).not.toBe(externalNullifier('app_1', '\x12\x34'))
  })
})

describe('field elements are parsed strictly', () => {
  const canonical = `0x${'0'.repeat(60)}0aBc`

  test.each(['0xabc', 'abc', 'ABC', '0xABC', '0x0abc', canonical, canonical.slice(2)])(
    'parseField accepts %s',
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
  ])('parseField rejects %j', (text) => {
    expect(parseField(text)).toBeNull()
  })

  test('parseField rejects a number that is not below the modulus', () => {
    expect(parseField((r - 1n).toString(16))).toBe(r - 1n)
    expect(parseField(r.toString(16))).toBeNull()
  })

  test.each([1n, 2n, 3n, 4n, 5n])('parseField rejects 7 plus %d times the modulus', (k) => {
    expect(parseField(formatField(7n + k * r))).toBeNull()
  })

  test('formatField writes 64 lower-case digits', () => {
    expect(formatField(0xabcn)).toBe(canonical.toLowerCase())
    expect(formatField(r - 1n)).toBe(`0x${(r - 1n).toString(16)}`)
  })
})

describe('parseProof and formatProof convert every form of a proof', () => {
  const { proof: abi, compressed, decoded } = realProof('hola-mundo')
  const hex = split(abi)
  const words = hex.map((word) => word.slice(2))
  const nested = nest(hex)
  const decimal = nest(hex.map((word) => BigInt(word).toString()))

  test('the encoding of a proof has the imaginary parts of B first', () => {
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
    ['as nested JSON', JSON.stringify(nested)],
    ['as nested JSON with spaces', ` ${JSON.stringify(nested, null, 2)}\n`],
    ['as nested JSON in decimal', JSON.stringify(decimal)],
    ['as nested JSON with escaped quotes', JSON.stringify(nested).replaceAll('"', '\\"')],
    ['as nested JSON in a JSON string', JSON.stringify(JSON.stringify(nested))],
    ['as a JSON list of eight words', JSON.stringify(hex)],
    ['in compressed form', compressed],
    ['in compressed form without 0x', compressed.slice(2)],
    ['in compressed form with padding', compressed + '0'.repeat(256)],
    ['in compressed form as a JSON list of four words', JSON.stringify(split(compressed))],
  ])('parseProof accepts a proof %s', (_form, text) => {
    expect(parseProof(text)).toEqual(decoded)
  })

  test.each(realProofs)(
    'the compressed form of $name is the same proof',
    ({ proof, compressed }) => {
      expect(parseProof(compressed)).toEqual(parseProof(proof))
    },
  )

  test.each(realProofs)('formatProof reproduces the text of $name', ({ proof, decoded }) => {
    expect(formatProof(decoded)).toBe(proof)
  })

  test('parseProof accepts JSON with decimal numbers, and with hex numbers without leading zeros', () => {
    const proof = parseProof('[["0x1","0x2"],[["0x3","4"],["5","0x06"]],["0x7","0xA"]]')
    const b = [
      [4n, 3n],
      [6n, 5n],
    ]
    expect(proof).toEqual({ a: [1n, 2n], b, c: [7n, 10n] })
  })

  test.each([
    ['the empty text', ''],
    ['a prefix alone', '0x'],
    ['hex without the last digit', abi.slice(0, -1)],
    ['hex without the last byte', abi.slice(0, -2)],
    ['hex with a trailing byte', `${abi}00`],
    ['hex with a trailing newline', `${abi}\n`],
    ['hex with a wrong digit', `${abi.slice(0, -1)}g`],
    ['hex with a sign', `0x-${abi.slice(3)}`],
    ['plain text', 'not a proof'],
    ['a JSON object', '{"proof":[]}'],
    ['JSON null', 'null'],
    ['JSON with nine words', JSON.stringify([...hex, '0x0'])],
    ['JSON with wrong nesting', JSON.stringify([hex.slice(0, 4), hex.slice(4)])],
    ['JSON with numbers', '[[1,2],[[3,4],[5,6]],[7,8]]'],
    ['JSON with a long word', JSON.stringify([`0x0${words[0]}`, ...hex.slice(1)])],
    ['JSON with a negative word', JSON.stringify(['-1', ...hex.slice(1)])],
    ['incomplete JSON', JSON.stringify(nested).slice(0, -1)],
    ['deep JSON', '['.repeat(40_000) + ']'.repeat(40_000)],
    ['deep JSON without an end', '['.repeat(80_000)],
    ['a long list', JSON.stringify(Array(20_000).fill('0x1'))],
    ['six words', JSON.stringify(hex.slice(0, 6))],
  ])('parseProof rejects %s', (_fault, text) => {
    expect(parseProof(text)).toBeNull()
  })

  test.each(words.map((_, index) => index))(
    'parseProof rejects a word %i that is not below the modulus',
    (index) => {
      const withWord = (n: bigint) =>
        `0x${words.with(index, n.toString(16).padStart(64, '0')).join('')}`
      expect(parseProof(withWord(p - 1n))).not.toBeNull()
      expect(parseProof(withWord(p))).toBeNull()
      expect(parseProof(withWord(BigInt(hex[index] ?? 0) + p))).toBeNull()
      expect(parseProof(withWord((1n << 256n) - 1n))).toBeNull()
    },
  )

  test('parseProof rejects a compressed proof with an x that is not below the modulus', () => {
    const [a = '', b0 = '', b1 = '', c = ''] = split(compressed)
    const over = (word: string, bits: bigint) => `0x${(BigInt(word) + (p << bits)).toString(16)}`
    expect(parseProof(JSON.stringify([over(a, 1n), b0, b1, c]))).toBeNull()
    expect(parseProof(JSON.stringify([a, over(b0, 0n), b1, c]))).toBeNull()
    expect(parseProof(JSON.stringify([a, b0, b1, over(c, 1n)]))).toBeNull()
  })
})

describe('parseField, parseProof and hashToField handle random texts', () => {
  const anything = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.json(),
    fc.stringMatching(/^(0x)?[0-9a-fA-F]{0,600}$/),
  )

  test('parseField returns null or a number below the modulus, which formatField preserves', () => {
    fc.assert(
      fc.property(anything, (text) => {
        const field = parseField(text)
        if (field === null) return
        expect(field < r).toBe(true)
        expect(parseField(formatField(field))).toBe(field)
      }),
    )
  })

  test('parseProof returns null or a proof that formatProof preserves', () => {
    fc.assert(
      fc.property(anything, (text) => {
        const proof = parseProof(text)
        if (proof) expect(parseProof(formatProof(proof))).toEqual(proof)
      }),
    )
  })

  test('every hash is below 2^248', () => {
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
