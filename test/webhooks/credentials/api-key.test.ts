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

test('what is formatted is parsed back', () => {
  const key = { id, secret: createApiKeySecret() }
  expect(parseApiKey(formatApiKey(key))).toEqual(key)
})

test('either alphabet of base64 will do, padded or not', () => {
  const key = { id, secret: 'secret--' }
  expect(parseApiKey(`api_${Buffer.from(`${id}:secret--`).toString('base64')}`)).toEqual(key)
})

test.each([
  ['nothing', ''],
  ['no prefix', Buffer.from(`${id}:secret`).toString('base64url')],
  ['no secret', encode(`${id}:`)],
  ['no colon', encode(id)],
  ['an id of another kind', encode(`app_${'0'.repeat(32)}:secret`)],
  ['a second line', encode(`${id}:secret\nmore`)],
  ['what Buffer skips, in between', encode(`${id}:secret`).replace('api_', 'api_. ')],
  ['and behind it', `${encode(`${id}:secret`)}.`],
  ['a secret without end', encode(`${id}:${'s'.repeat(129)}`)],
])('%s is not a key', (_name, text) => {
  expect(parseApiKey(text)).toBeNull()
})

test('a key matches its own hash only', () => {
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
