import { expect, test } from 'vitest'
import { hashSecret, sameSecret } from '../../../../lib/runtime/secrets/secret.ts'

test('hashSecret computes HMAC-SHA-256 (RFC 4231, test case 2)', () => {
  expect(hashSecret(['Jefe'], 'what do ya want for nothing?')).toBe(
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  )
})

test.each([
  ['secret', 'secret', true],
  ['secret', 'secreT', false],
  ['secret', 'secre', false],
  ['secret', '', false],
])('sameSecret of "%s" and "%s" is %s', (first, second, isSame) => {
  expect(sameSecret(first, second)).toBe(isSame)
})
