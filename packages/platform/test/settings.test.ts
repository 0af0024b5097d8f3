import { expect, test } from 'vitest'
import { readSettings } from '../settings/settings.ts'

const HASURA_GRAPHQL_ENDPOINT = 'http://hasura.example:8080/'
const OF_HASURA = {
  HASURA_GRAPHQL_ADMIN_SECRET: 'a'.repeat(32),
  INTERNAL_SECRET: 'i'.repeat(32),
  DATABASE_URL: 'postgres://hasura.example/app',
}

test('an outside Hasura is used with its own secrets', () => {
  expect(readSettings({ HASURA_GRAPHQL_ENDPOINT, ...OF_HASURA }).hasura).toEqual({
    endpoint: 'http://hasura.example:8080',
    adminSecret: 'a'.repeat(32),
    internalSecret: 'i'.repeat(32),
  })
})

test('an outside Hasura alone is refused with the names of all that belongs to it', () => {
  const start = () => readSettings({ HASURA_GRAPHQL_ENDPOINT })
  for (const name of Object.keys(OF_HASURA)) expect(start).toThrow(name)
})

test.each([
  [
    'an address without its protocol',
    { HASURA_GRAPHQL_ENDPOINT: 'localhost:8080' },
    'HASURA_GRAPHQL_ENDPOINT',
  ],
  [
    'a secret that the services would refuse',
    { HASURA_GRAPHQL_ENDPOINT, ...OF_HASURA, INTERNAL_SECRET: 'short' },
    'INTERNAL_SECRET',
  ],
  ['a database of another kind', { DATABASE_URL: 'mysql://localhost/app' }, 'DATABASE_URL'],
  ['a port that there is not', { OIDC_PORT: '65536' }, 'OIDC_PORT'],
])('%s is refused by its name', (_, environment, name) => {
  expect(() => readSettings(environment)).toThrow(name)
})

test('no default port is one that the kernel gives to outgoing connections, or that tests listen on', () => {
  const { ports } = readSettings({})
  for (const [name, port] of Object.entries(ports))
    expect([name, port < 12_000]).toEqual([name, true])
})
