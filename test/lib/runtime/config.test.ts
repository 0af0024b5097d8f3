import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  Environment,
  readConfig,
  readSignInConfig,
  SignInEnvironment,
} from '../../../lib/runtime/config.ts'
import { ConfigError } from '../../../lib/runtime/config-error.ts'

const complete = {
  HASURA_GRAPHQL_ADMIN_SECRET: 'a'.repeat(32),
  API_KEY_PEPPER: 'p'.repeat(32),
  CLIENT_SECRET_PEPPER: 'c'.repeat(32),
  SIGNING_KEY_SECRET: 's'.repeat(32),
  LOGIN_TOKEN_SECRET: 'l'.repeat(64),
  SMTP_URL: 'smtp://localhost:1025',
  CHAIN_RPC_URL: 'http://localhost:8545',
}

test('a complete environment gives typed values and defaults', () => {
  expect(readConfig({ ...complete, WEBHOOKS_PORT: '3100' })).toMatchObject({
    WEBHOOKS_PORT: 3100,
    ROOT_MAX_AGE_SECONDS: 604_800,
    VERIFICATION_KEYS_PRODUCTION: ['semaphore-v3-depth-30'],
    NODE_ENV: 'production',
  })
})

test('the error names every missing or invalid variable', () => {
  const start = () => readConfig({ API_KEY_PEPPER: 'short', WEBHOOKS_PORT: 'many' })
  expect(start).toThrow(ConfigError)
  for (const name of [
    'HASURA_GRAPHQL_ADMIN_SECRET',
    'API_KEY_PEPPER',
    'LOGIN_TOKEN_SECRET',
    'SMTP_URL',
    'CHAIN_RPC_URL',
    'WEBHOOKS_PORT',
  ])
    expect(start).toThrow(name)
})

test('the error never contains the value of a variable', () => {
  expect(() => readConfig({ API_KEY_PEPPER: 'hunter2' })).not.toThrow(/hunter2/)
})

test.each([
  ['webhooks', readConfig, Environment.shape],
  ['oidc', readSignInConfig, SignInEnvironment.shape],
])('%s describes every wrong value in a sentence', (_service, read, shape) => {
  for (const variable of Object.keys(shape))
    for (const value of ['a wrong value', '-1', '{"a":1}', 'x,y']) {
      const message = messageOf(() => read({ [variable]: value }))
      const lines = message.split('\n').filter((line) => line.includes(variable))
      for (const line of lines)
        expect(line).toMatch(
          new RegExp(
            `^  ${variable}(: \\S+( \\d)?)? (must|is missing|is malformed|has a malformed).*\\.$`,
          ),
        )
    }
})

test('an error repeats a value that cannot be a secret', () => {
  const env = { ...complete, WEBHOOKS_PORT: '70000', RATE_LIMIT_VERIFY: '5', SMTP_URL: undefined }
  expect(
    messageOf(() => readConfig(env))
      .split('\n')
      .slice(1),
  ).toEqual([
    '  WEBHOOKS_PORT must be at most 65535; got 70000.',
    '  SMTP_URL is missing; it must begin with smtp:// or smtps://.',
    '  RATE_LIMIT_VERIFY must be a count and seconds, like 10/60; got 5.',
  ])
})

test('an error repeats no address with a password', () => {
  const env = { ...complete, HASURA_GRAPHQL_ENDPOINT: 'ftp://hasura:hunter2@localhost' }
  expect(messageOf(() => readConfig(env))).toMatch(/must begin with http:\/\/ or https:\/\/\.$/)
})

function messageOf(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    return error instanceof ConfigError ? error.message : String(error)
  }
  return ''
}

describe('a service does not start with a variable that no service reads', () => {
  test.each([
    ['RATE_LIMIT_VERIFFY', 'is not a variable of this platform; did you mean RATE_LIMIT_VERIFY?'],
    ['RATE_LIMT_VERIFY', 'is not a variable of this platform; did you mean RATE_LIMIT_VERIFY?'],
    ['GROUPS_STAGIN', 'is not a variable of this platform; did you mean GROUPS_STAGING?'],
    ['INTERNAL_SECRETS', 'is not a variable of this platform; did you mean INTERNAL_SECRET?'],
    ['TRANSACTION_GIVE_UP_SECOND', 'is not a variable of this platform; did you mean '],
    ['SIGN_IN_MAX_AGE', 'is not a variable of this platform; did you mean '],
    ['GROUP_NAME_STAGING', 'is not a variable of this version: use GROUPS_STAGING'],
    ['RATE_LIMIT_RESEND_EMAIL', 'is not a variable of this version: remove it'],
  ])('%s is rejected with advice', (name, message) => {
    const start = () => readConfig({ ...complete, [name]: 'hunter2' })
    expect(start).toThrow(`${name} ${message}`)
    expect(start).not.toThrow(/hunter2/)
  })

  test('the error names an unread variable together with other faults', () => {
    const start = () => readConfig({ ...complete, WEBHOOKS_PORT: 'many', GROUPS_TEST: 'x=all' })
    expect(start).toThrow(
      /WEBHOOKS_PORT must be a number; got many\.[\s\S]*GROUPS_TEST is not a variable/,
    )
  })

  test('an empty unread variable is accepted, since compose passes unset variables as empty texts', () => {
    expect(readConfig({ ...complete, GROUP_NAME_STAGING: '' }).CHAIN_ID).toBe(1)
  })
})

test.each([
  'DATABASE_URI',
  'PASSWORD_STORE_DIR',
  'TRANSACTION_HASH',
  'OTEL_EXPORTER_OTLP_PROTOCOL',
  'HASURA_GRAPHQL_ENABLE_CONSOLE',
  'NODE_OPTIONS',
  'KUBERNETES_SERVICE_HOST',
])('%s belongs to another program, and is ignored', (name) => {
  expect(readConfig({ ...complete, [name]: 'value' }).CHAIN_ID).toBe(1)
})

test('each service accepts the variables of all services and of the compose file', () => {
  const allVariables = {
    ...complete,
    DATABASE_URL: 'postgres://localhost/postgres',
    COOKIE_KEYS: 'k'.repeat(32),
    RATE_LIMIT_TOKEN: '1/1',
    SIGN_IN_DATABASE_PASSWORD: 'x',
    PRICES_PORT: '3002',
  }
  expect(readConfig(allVariables).PRICES_PORT).toBe(3002)
  expect(readSignInConfig(allVariables).RATE_LIMIT_TOKEN.limit).toBe(1)
})

describe('every key of COOKIE_KEYS must be long', () => {
  const signIn = {
    ...complete,
    DATABASE_URL: 'postgres://localhost/postgres',
  }

  test.each([
    ['one key', 'k'.repeat(32), 1],
    ['two keys', `${'k'.repeat(32)},${'l'.repeat(32)}`, 2],
  ])('COOKIE_KEYS may be %s', (_form, keys, count) => {
    expect(readSignInConfig({ ...signIn, COOKIE_KEYS: keys }).COOKIE_KEYS).toHaveLength(count)
  })

  test.each(['short', `${'k'.repeat(32)},short`])('the short key in "%s" is rejected', (keys) => {
    expect(() => readSignInConfig({ ...signIn, COOKIE_KEYS: keys })).toThrow(
      /COOKIE_KEYS(: value 2)? must have at least 32 characters\./,
    )
  })
})

test('an empty variable counts as unset', () => {
  expect(readConfig({ ...complete, WEBHOOKS_PORT: '' }).WEBHOOKS_PORT).toBe(3000)
})

test.each(['BASE_URL', 'HASURA_GRAPHQL_ENDPOINT', 'CHAIN_RPC_URL'])(
  '%s without http:// is rejected at the start',
  (name) => {
    expect(() => readConfig({ ...complete, [name]: 'localhost:8080' })).toThrow(
      `${name} must begin with http:// or https://`,
    )
  },
)

test.each(['BASE_URL', 'HASURA_GRAPHQL_ENDPOINT', 'PRICES_URL'] as const)(
  '%s may end with a slash',
  (name) => {
    const config = readConfig({ ...complete, [name]: 'http://hasura.example/at/' })
    expect(config[name]).toBe('http://hasura.example/at')
  },
)

describe('.env.example has every variable with its default', () => {
  const lines = readFileSync('.env.example', 'utf8').split('\n')
  const example = Object.fromEntries(
    lines.filter((line) => /^[A-Z]/.test(line)).map((line) => line.split(/=(.*)/).slice(0, 2)),
  )

  test('.env.example has the actual defaults of the developer API, except for VERIFIER_THREADS', () => {
    const { VERIFIER_THREADS: _, ...config } = readConfig({ ...example, ...complete })
    const { VERIFIER_THREADS: __, ...defaults } = readConfig(complete)
    expect(config).toEqual(defaults)
  })

  test('.env.example names every variable', () => {
    expect(Object.keys(example)).toEqual(
      expect.arrayContaining([
        ...Object.keys(Environment.shape),
        ...Object.keys(SignInEnvironment.shape),
      ]),
    )
  })
})
