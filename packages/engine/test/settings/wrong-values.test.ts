import { createSecretKey } from 'node:crypto'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { readMetadataDefaults } from '../../compiler/model/metadata-defaults.ts'
import { readConfig, SETTING_VARIABLES } from '../../config/config.ts'
import { settingMeaning } from '../../config/setting.ts'
import { SETTINGS } from '../../config/settings.ts'
import { readJwtConfigs } from '../../session/jwt-config.ts'

const DATABASE = { HASURA_GRAPHQL_DATABASE_URL: 'postgres://a@localhost/b' }

/** The variables that accept every text. The JWT secrets are parsed later, by `readJwtConfigs`. */
const ANY_TEXT = [
  'ENGINE_CALLER_VARIABLES',
  'HASURA_GRAPHQL_ACCESS_KEY',
  'HASURA_GRAPHQL_ADMIN_SECRET',
  'HASURA_GRAPHQL_CORS_DOMAIN',
  'HASURA_GRAPHQL_EXTENSIONS_SCHEMA',
  'HASURA_GRAPHQL_JWT_SECRET',
  'HASURA_GRAPHQL_JWT_SECRETS',
  'HASURA_GRAPHQL_METADATA_DATABASE_EXTENSIONS_SCHEMA',
  'HASURA_GRAPHQL_METADATA_DIR',
  'HASURA_GRAPHQL_MIGRATIONS_DIR',
  'HASURA_GRAPHQL_SERVER_HOST',
  'HASURA_GRAPHQL_UNAUTHORIZED_ROLE',
]

/** The variables that may contain a password, so that an error must not quote them. */
const SECRET = [
  'ENGINE_SOURCE_URLS',
  'HASURA_GRAPHQL_AUTH_HOOK',
  'HASURA_GRAPHQL_DATABASE_URL',
  'HASURA_GRAPHQL_METADATA_DATABASE_URL',
  'HASURA_GRAPHQL_METADATA_DEFAULTS',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
]

/** The words of zod, and of a failed conversion. */
const FOREIGN_WORDS = /invalid input|invalid option|expected|received|\bNaN\b|undefined/i

const readMessage = (act: () => unknown): string => {
  try {
    act()
  } catch (error) {
    if (error instanceof Error) return error.message
  }
  return 'accepted'
}

describe('a wrong value ends the start with a sentence that begins with the variable', () => {
  const variables = SETTING_VARIABLES.filter((name) => !ANY_TEXT.includes(name))

  test.each(variables)('%s rejects "per haps"', (variable) => {
    const message = readMessage(() => readConfig({ ...DATABASE, [variable]: 'per haps' }))
    expect(message).toMatch(new RegExp(`^${variable} must be [^\n]+[^.]\\.$`))
    expect(message).not.toMatch(FOREIGN_WORDS)
    expect(message.includes('got "per haps"')).toBe(!SECRET.includes(variable))
  })

  test.each(ANY_TEXT)('%s accepts every text', (variable) => {
    const others = /ADMIN_SECRET|ACCESS_KEY/.test(variable)
      ? {}
      : { HASURA_GRAPHQL_ADMIN_SECRET: 's' }
    expect(() => readConfig({ ...DATABASE, ...others, [variable]: 'per haps' })).not.toThrow()
  })

  test.each([
    ['HASURA_GRAPHQL_SERVER_PORT', '70000', 'a whole number from 0 to 65535; got 70000.'],
    ['HASURA_GRAPHQL_SERVER_PORT', '-1', 'a whole number from 0 to 65535; got -1.'],
    ['HASURA_GRAPHQL_SERVER_PORT', '80.5', 'a whole number from 0 to 65535; got 80.5.'],
    ['HASURA_GRAPHQL_SERVER_PORT', ' ', 'a whole number from 0 to 65535; got " ".'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5', 'a number from 0 to 1; got 1.5.'],
    [
      'HASURA_GRAPHQL_LOG_LEVEL',
      'x'.repeat(200),
      `one of debug, info, warn, error; got ${'x'.repeat(100)}….`,
    ],
    ['HASURA_GRAPHQL_AUTH_HOOK', 'ftp://a', 'an address that begins with http:// or https://.'],
    ['HASURA_GRAPHQL_AUTH_HOOK_TYPE', 'PUT', 'one of GET, POST; got PUT.'],
  ])('%s=%s is rejected with the allowed values', (variable, value, end) => {
    const message = readMessage(() => readConfig({ ...DATABASE, [variable]: value }))
    expect(message).toBe(`${variable} must be ${end}`)
  })

  test('a missing database address is reported as not set', () => {
    expect(readMessage(() => readConfig({}))).toMatch(
      /^HASURA_GRAPHQL_DATABASE_URL is not set; it must be the address of a PostgreSQL database/,
    )
  })

  test('metadata defaults that are not metadata are rejected with the place of the mistake', () => {
    const message = readMessage(() => readMetadataDefaults({ sources: 'hunter2' }))
    expect(message).toBe(
      'HASURA_GRAPHQL_METADATA_DEFAULTS is not metadata. sources: Must be a list.',
    )
  })
})

describe('wrong JWT secrets are rejected with a sentence that does not quote the key', () => {
  const SHORT = createSecretKey(Buffer.from('hunter2')).export().toString()

  test.each([
    ['hunter2', /must be JSON, such as \{"type":"RS256"/],
    ['[]', /is wrong\. Must be an object\.$/],
    ['{}', /must have jwk_url, or key and type\. Add one of them\.$/],
    ['{"type":"HS1","key":"hunter2"}', /: type must be one of HS256, .*; got HS1\.$/],
    [JSON.stringify({ type: 'HS256', key: SHORT }), /at least 32 bytes; it has 7\.$/],
    ['{"type":"RS256","key":"hunter2"}', /must be a public key or a certificate in PEM/],
    ['{"type":"HS256","key":7}', /is wrong\. key: Must be a text\.$/],
    ['{"jwk_url":"hunter2"}', /is wrong\. jwk_url: Must be an address \(URL\)\.$/],
    ['{"header":{"type":"Body"}}', /is wrong\. header\.type: /],
    ['{"key":"hunter2","jwk_url":"http://a"}', /is wrong\. key and jwk_url cannot both be set\.$/],
  ])('HASURA_GRAPHQL_JWT_SECRET=%s is rejected', (jwtSecret, expected) => {
    const log = pino({ level: 'silent' })
    const single = readMessage(() => readJwtConfigs({ jwtSecret, jwtSecrets: null }, log))
    expect(single).toMatch(expected)
    expect(single).toMatch(/^HASURA_GRAPHQL_JWT_SECRET\b/)
    const several = { jwtSecret: null, jwtSecrets: `[${jwtSecret}]` }
    const inList = readMessage(() => readJwtConfigs(several, log))
    expect(inList).toMatch(/^HASURA_GRAPHQL_JWT_SECRETS\b/)
    for (const message of [single, inList]) {
      expect(message).not.toMatch(FOREIGN_WORDS)
      expect(message).not.toContain('hunter2')
    }
  })
})

test('each setting has a meaning of 3 to 25 words', () => {
  for (const [key, schema] of Object.entries(SETTINGS)) {
    const words = settingMeaning(schema).split(/\s+/).length
    expect(words, key).toBeGreaterThanOrEqual(3)
    expect(words, key).toBeLessThanOrEqual(25)
  }
})
