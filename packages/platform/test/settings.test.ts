import { expect, test } from 'vitest'
import { readSettings } from '../settings/settings.ts'

const HASURA_GRAPHQL_ENDPOINT = 'http://hasura.example:8080/'
const HASURA_VARIABLES = {
  HASURA_GRAPHQL_ADMIN_SECRET: 'a'.repeat(32),
  INTERNAL_SECRET: 'i'.repeat(32),
  DATABASE_URL: 'postgres://hasura.example/app',
}

test('readSettings returns the address and the secrets of an outside Hasura', () => {
  expect(readSettings({ HASURA_GRAPHQL_ENDPOINT, ...HASURA_VARIABLES }).hasura).toEqual({
    endpoint: 'http://hasura.example:8080',
    adminSecret: 'a'.repeat(32),
    internalSecret: 'i'.repeat(32),
  })
})

test('HASURA_GRAPHQL_ENDPOINT without the variables that it requires is rejected with their names', () => {
  const start = () => readSettings({ HASURA_GRAPHQL_ENDPOINT })
  for (const name of Object.keys(HASURA_VARIABLES)) expect(start).toThrow(name)
})

test.each([
  [
    'an address without its protocol',
    { HASURA_GRAPHQL_ENDPOINT: 'localhost:8080' },
    'HASURA_GRAPHQL_ENDPOINT',
  ],
  [
    'a secret that is too short for the services',
    { HASURA_GRAPHQL_ENDPOINT, ...HASURA_VARIABLES, INTERNAL_SECRET: 'short' },
    'INTERNAL_SECRET',
  ],
  ['a database of another kind', { DATABASE_URL: 'mysql://localhost/app' }, 'DATABASE_URL'],
  ['a port above 65535', { OIDC_PORT: '65536' }, 'OIDC_PORT'],
])('%s is rejected with the name of its variable', (_, environment, name) => {
  expect(() => readSettings(environment)).toThrow(name)
})

test('every default port is below the ports of outgoing connections and of tests', () => {
  const { ports } = readSettings({})
  for (const [name, port] of Object.entries(ports))
    expect([name, port < 12_000]).toEqual([name, true])
})
