import { expect, test } from 'vitest'
import { hashSecret, sameSecret } from '../../../../lib/runtime/secrets/secret.ts'

test('a hash is HMAC-SHA-256 (RFC 4231, test case 2)', () => {
  expect(hashSecret(['Jefe'], 'what do ya want for nothing?')).toBe(
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  )
})

test.each([
  ['equal texts', 'secret', 'secret', true],
  ['another text of the same length', 'secret', 'secreT', false],
  ['a prefix', 'secret', 'secre', false],
  ['nothing', 'secret', '', false],
])('%s: the same is %s', (_name, one, other, same) => {
  expect(sameSecret(one, other)).toBe(same)
})
