import { expect, test } from 'vitest'
import { seal, unseal } from '../../../../lib/runtime/secrets/seal.ts'

const lock = { secrets: ['s'.repeat(32)], owner: 'jwk_1' } as const

test('a sealed text hides its content, and opens for its owner', () => {
  const sealed = seal('{"d":"private"}', lock)
  expect(sealed).not.toContain('private')
  expect(unseal(sealed, lock)).toBe('{"d":"private"}')
})

test('the same text is sealed differently each time', () => {
  expect(seal('text', lock)).not.toBe(seal('text', lock))
})

test.each([
  ['another owner', { ...lock, owner: 'jwk_2' }],
  ['another secret', { ...lock, secrets: ['t'.repeat(32)] as const }],
])('a sealed text does not open with %s', (_name, wrongLock) => {
  const sealed = seal('text', lock)
  expect(() => unseal(sealed, wrongLock)).toThrow()
})

test('with two secrets, each opens its texts, and the first secret seals new texts', () => {
  const [old, next] = ['s'.repeat(32), 't'.repeat(32)] as const
  const newLock = { secrets: [next, old], owner: 'jwk_1' } as const
  expect(unseal(seal('text', lock), newLock)).toBe('text')
  expect(unseal(seal('text', newLock), { secrets: [next], owner: 'jwk_1' })).toBe('text')
  expect(() => unseal(seal('text', newLock), lock)).toThrow()
})

test('a sealed text does not open if a byte is changed or missing', () => {
  const bytes = Buffer.from(seal('text', lock), 'base64url')
  for (const at of bytes.keys()) {
    const wrongBytes = bytes.with(at, (bytes[at] ?? 0) ^ 1)
    expect(() => unseal(Buffer.from(wrongBytes).toString('base64url'), lock)).toThrow()
    expect(() => unseal(bytes.subarray(0, at).toString('base64url'), lock)).toThrow()
  }
})
