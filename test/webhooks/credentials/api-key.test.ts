import { expect, test } from 'vitest'
import {
  createApiKeySecret,
  formatApiKey,
  hashApiKey,
  matchesApiKey,
  parseApiKey,
} from '../../../webhooks/credentials/api-key.ts'

const id = `key_${'0'.repeat(32)}`
const pepper = 'pepper'

test('a formatted API key parses back to the same key', () => {
  const key = { id, secret: createApiKeySecret() }
  expect(parseApiKey(formatApiKey(key))).toEqual(key)
})

test.each(['secret', 'secret-'])(
  'an API key with the secret %s parses in base64, which has padding',
  (secret) => {
    const text = Buffer.from(`${id}:${secret}`).toString('base64')
    expect(text).toMatch(/=$/)
    expect(parseApiKey(`api_${text}`)).toEqual({ id, secret })
  },
)

test.each([
  ['an empty text', ''],
  ['no prefix', Buffer.from(`${id}:secret`).toString('base64url')],
  ['no secret', encode(`${id}:`)],
  ['no colon', encode(id)],
  ['an id of another kind', encode(`app_${'0'.repeat(32)}:secret`)],
  ['a second line', encode(`${id}:secret\nmore`)],
  [
    'a key with characters that Buffer skips in the middle',
    encode(`${id}:secret`).replace('api_', 'api_. '),
  ],
  ['a key with a character that Buffer skips at the end', `${encode(`${id}:secret`)}.`],
  ['a secret of 129 characters', encode(`${id}:${'s'.repeat(129)}`)],
])('%s does not parse as an API key', (_name, text) => {
  expect(parseApiKey(text)).toBeNull()
})

test('an API key matches only its own hash', () => {
  const key = { id, secret: 'secret' }
  const hash = hashApiKey([pepper], key)
  expect(matchesApiKey([pepper], key, hash)).toBe(true)
  expect(matchesApiKey(['another pepper'], key, hash)).toBe(false)
  expect(matchesApiKey(['another pepper', pepper], key, hash)).toBe(true)
  expect(matchesApiKey([pepper], { ...key, secret: 'other' }, hash)).toBe(false)
  expect(matchesApiKey([pepper], { ...key, id: `key_${'1'.repeat(32)}` }, hash)).toBe(false)
})

function encode(text: string): string {
  return `api_${Buffer.from(text).toString('base64url')}`
}
