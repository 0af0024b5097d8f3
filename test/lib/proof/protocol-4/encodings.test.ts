import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { protocol4Proof } from '../../../../lib/proof/examples/protocol-4-proofs.ts'
import { r } from '../../../../lib/proof/field.ts'
import { formatRpId, parseRpId, rpIdOfApp } from '../../../../lib/proof/protocol-4/rp-id.ts'
import { formatSessionId, parseSessionId } from '../../../../lib/proof/protocol-4/session-id.ts'
import { parseProofWords, parseWord } from '../../../../lib/proof/protocol-4/words.ts'

describe('the id of a relying party follows from the app id', () => {
  test.each([
    ['app_staging_7d78419cadc0289c378a0c834179fcc7', 'rp_4c42feb5b247d6b1'],
    ['app_b5bf70a63e4ecd0be5f1b754b6675728', 'rp_c846acb3f533a78f'],
    ['', 'rp_c5d2460186f7233c'],
  ])('rpIdOfApp computes the rp id of %j', (appId, rpId) => {
    expect(rpIdOfApp(appId)).toBe(rpId)
  })

  test('parseRpId reads the number of an rp id, in upper and lower case', () => {
    expect(parseRpId('rp_00000000000000ff')).toBe(255n)
    expect(parseRpId('rp_FFFFFFFFFFFFFFFF')).toBe(2n ** 64n - 1n)
    expect(formatRpId(255n)).toBe('rp_00000000000000ff')
  })

  test.each([
    '',
    'rp_',
    'rp_ff',
    'rp_00000000000000fff',
    'rp_00000000000000fg',
    'RP_00000000000000ff',
    ' rp_00000000000000ff',
    'rp_00000000000000ff\n',
    'rp_0x000000000000ff',
    'app_00000000000000ff',
  ])('parseRpId rejects %j', (text) => {
    expect(parseRpId(text)).toBeNull()
  })

  test('parseRpId reads what formatRpId writes', () => {
    fc.assert(fc.property(fc.bigInt(0n, 2n ** 64n - 1n), (id) => parseRpId(formatRpId(id)) === id))
  })
})

describe('parseWord reads the numbers of clients', () => {
  test.each([
    ['0x0', 0n],
    ['0x0A', 10n],
    [`0x${'f'.repeat(64)}`, 2n ** 256n - 1n],
    ['0', 0n],
    ['1764339456', 1_764_339_456n],
    [(2n ** 256n - 1n).toString(), 2n ** 256n - 1n],
  ])('parseWord reads %s', (text, word) => {
    expect(parseWord(text)).toBe(word)
  })

  test.each([
    '',
    ' ',
    '0x',
    '0xg',
    'ff',
    '0X1',
    '01',
    '-1',
    '+1',
    '1n',
    '1e3',
    '1.0',
    '0b1',
    '0o7',
    ' 1',
    '1\n',
    '0x1 ',
    '1_000',
    '١',
    `0x${'0'.repeat(65)}`,
    (2n ** 256n).toString(),
    '9'.repeat(79),
    'null',
  ])('parseWord rejects %j', (text) => {
    expect(parseWord(text)).toBeNull()
  })

  test('parseWord reads every number of 256 bits in hex and in decimal digits', () => {
    const words = fc.bigInt(0n, 2n ** 256n - 1n)
    fc.assert(
      fc.property(words, (n) => parseWord(`0x${n.toString(16)}`) === n && parseWord(`${n}`) === n),
    )
  })
})

describe('parseProofWords reads five words', () => {
  const { words, compressed, signals } = protocol4Proof('uniqueness')

  test('words in hex, padded hex, upper case and decimal digits give the same proof', () => {
    const rewritings: ((word: string) => string)[] = [
      (word) => word,
      (word) => `0x${word.slice(2).padStart(64, '0')}`,
      (word) => `0x${word.slice(2).toUpperCase()}`,
      (word) => BigInt(word).toString(),
    ]
    for (const rewrite of rewritings) {
      const parsed = parseProofWords(words.map(rewrite))
      expect(parsed?.proof).toEqual(compressed)
      expect(parsed?.merkleRoot).toBe(signals[6])
      expect(parsed?.words).toEqual(words.map(BigInt))
    }
  })

  test.each([
    ['no words', []],
    ['four words', words.slice(0, 4)],
    ['six words', [...words, '0x0']],
    ['eight words', [...words, '0x0', '0x0', '0x0']],
    ['one text with all words', [words.map((word) => word.slice(2)).join('')]],
    ['an empty word', words.with(0, '')],
    ['a word that is not hex', words.with(1, '0xzz')],
    ['a word of 65 digits', words.with(2, `0x${'0'.repeat(65)}`)],
    ['a word above 256 bits', words.with(3, (2n ** 256n).toString())],
    ['a negative word', words.with(4, '-1')],
  ])('parseProofWords rejects %s', (_fault, texts) => {
    expect(parseProofWords(texts)).toBeNull()
  })

  test('parseProofWords never throws for five numbers of 256 bits', () => {
    const word = fc.bigInt(0n, 2n ** 256n - 1n).map((n) => `0x${n.toString(16)}`)
    const five = fc.array(word, { minLength: 5, maxLength: 5 })
    fc.assert(fc.property(five, (texts) => parseProofWords(texts) !== null))
  })
})

describe('parseSessionId reads the id of a session', () => {
  const digits = (n: bigint) => n.toString(16).padStart(64, '0')
  const seed = (1n << 248n) | 42n

  test('parseSessionId reads the commitment and the seed', () => {
    const id = { commitment: 1001n, oprfSeed: seed }
    expect(parseSessionId(`session_${digits(1001n)}${digits(seed)}`)).toEqual(id)
    expect(parseSessionId(formatSessionId(id))).toEqual(id)
    expect(parseSessionId(`session_${digits(10n).toUpperCase()}${digits(seed)}`)).toEqual({
      commitment: 10n,
      oprfSeed: seed,
    })
  })

  test.each([
    ['an empty text', ''],
    ['the word create', 'create'],
    ['only the commitment', `session_${digits(1n)}`],
    ['a missing prefix', `${digits(1n)}${digits(seed)}`],
    ['another prefix', `snil_${digits(1n)}${digits(seed)}`],
    ['a digit too many', `session_${digits(1n)}${digits(seed)}0`],
    ['a digit that is not hex', `session_${digits(1n)}${digits(seed).replace(/.$/, 'g')}`],
    ['a line break', `session_${digits(1n)}${digits(seed)}\n`],
    ['the commitment 0', `session_${digits(0n)}${digits(seed)}`],
    ['a commitment that is the modulus', `session_${digits(r)}${digits(seed)}`],
    ['a seed without its first byte', `session_${digits(1n)}${digits(42n)}`],
    ['a seed with the first byte of an action', `session_${digits(1n)}${digits(2n << 248n)}`],
    ['a seed above the modulus', `session_${digits(1n)}${'1'.padEnd(64, 'f')}`],
  ])('parseSessionId rejects %s', (_fault, text) => {
    expect(parseSessionId(text)).toBeNull()
  })
})
