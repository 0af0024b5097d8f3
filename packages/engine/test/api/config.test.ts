import { expect, test } from 'vitest'
import { ConfigError, readConfig } from '../../config/config.ts'

const DATABASE = { HASURA_GRAPHQL_DATABASE_URL: 'postgres://a@localhost/b' }

test("the port, the CORS domain and other settings have Hasura's defaults", () => {
  expect(readConfig(DATABASE)).toMatchObject({
    port: 8080,
    adminSecret: null,
    authHookMode: 'GET',
    stringifyNumericTypes: false,
    inferFunctionPermissions: true,
    liveQueriesRefetchMs: 1000,
    liveQueriesBatchSize: 100,
    corsDomain: ['*'],
  })
})

test('readConfig reports all invalid variables in one error', () => {
  const invalid = { HASURA_GRAPHQL_SERVER_PORT: 'x', HASURA_GRAPHQL_DEV_MODE: 'perhaps' }
  expect(() => readConfig(invalid)).toThrow(ConfigError)
  expect(() => readConfig(invalid)).toThrow(
    /DATABASE_URL[\s\S]*SERVER_PORT[\s\S]*DEV_MODE must be true or false; got perhaps/,
  )
})

test("HASURA_GRAPHQL_METADATA_DATABASE_URL sets the metadata database, and also the source's database if no other variable sets that", () => {
  const metadata = { HASURA_GRAPHQL_METADATA_DATABASE_URL: 'postgres://elsewhere/x' }
  expect(readConfig({ ...DATABASE, ...metadata })).toMatchObject({
    databaseUrl: 'postgres://elsewhere/x',
    sourceUrl: 'postgres://a@localhost/b',
  })
  expect(readConfig(metadata)).toMatchObject({
    databaseUrl: 'postgres://elsewhere/x',
    sourceUrl: 'postgres://elsewhere/x',
  })
  expect(readConfig(DATABASE)).toMatchObject({ databaseUrl: 'postgres://a@localhost/b' })
})

test('an error about an invalid database URL does not repeat its password', () => {
  const url = 'mysql://root:hunter2@localhost/b'
  expect(() => readConfig({ HASURA_GRAPHQL_DATABASE_URL: url })).toThrow(
    expect.objectContaining({ message: expect.not.stringContaining('hunter2') }),
  )
})

test.each(['{', '[]', '{"sales": "mysql://root:hunter2@localhost/b"}'])(
  'ENGINE_SOURCE_URLS of %s is rejected with an error that has no password',
  (ENGINE_SOURCE_URLS) => {
    expect(() => readConfig({ ...DATABASE, ENGINE_SOURCE_URLS })).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(/^ENGINE_SOURCE_URLS must be a JSON object (?!.*hunter2)/),
      }),
    )
  },
)

test('an empty variable counts as not set', () => {
  expect(readConfig({ ...DATABASE, HASURA_GRAPHQL_SERVER_PORT: '' }).port).toBe(8080)
})

test('an empty admin secret counts as set', () => {
  expect(readConfig({ ...DATABASE, HASURA_GRAPHQL_ADMIN_SECRET: '' }).adminSecret).toBe('')
})

test.each(['UNAUTHORIZED_ROLE', 'AUTH_HOOK', 'JWT_SECRET', 'JWT_SECRETS'])(
  'an empty HASURA_GRAPHQL_%s is rejected',
  (name) => {
    const empty = { HASURA_GRAPHQL_ADMIN_SECRET: 's', [`HASURA_GRAPHQL_${name}`]: '' }
    expect(() => readConfig({ ...DATABASE, ...empty })).toThrow(ConfigError)
  },
)

test.each([
  ['true', true],
  ['T', true],
  ['Yes', true],
  ['n', false],
  ['FALSE', false],
])('the flag value %s means %s', (text, value) => {
  expect(readConfig({ ...DATABASE, HASURA_GRAPHQL_DEV_MODE: text }).devMode).toBe(value)
})

test.each([
  ['a hook and a JWT secret', { AUTH_HOOK: 'http://a', JWT_SECRET: '{}', ADMIN_SECRET: 's' }],
  ['a hook without an admin secret', { AUTH_HOOK: 'http://a' }],
  ['a JWT secret without an admin secret', { JWT_SECRET: '{}' }],
  ['several JWT secrets without an admin secret', { JWT_SECRETS: '[]' }],
  ['one JWT secret and several', { JWT_SECRET: '{}', JWT_SECRETS: '[]', ADMIN_SECRET: 's' }],
  ['an invalid URL of the metadata database', { METADATA_DATABASE_URL: 'elsewhere' }],
  ['an unauthorized role without an admin secret', { UNAUTHORIZED_ROLE: 'anonymous' }],
  [
    'an unauthorized role with a hook',
    { AUTH_HOOK: 'http://a', ADMIN_SECRET: 's', UNAUTHORIZED_ROLE: 'anonymous' },
  ],
])('a configuration with %s is rejected', (_what, variables) => {
  const entries = Object.entries(variables).map(([name, value]) => [
    `HASURA_GRAPHQL_${name}`,
    value,
  ])
  expect(() => readConfig({ ...DATABASE, ...Object.fromEntries(entries) })).toThrow(ConfigError)
})
