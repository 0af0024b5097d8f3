import { expect, test } from 'vitest'
import { readSettings } from '../../platform/settings.ts'

const HASURA_GRAPHQL_ENDPOINT = 'http://hasura.example:8080/'

test('an outside Hasura is used with its own secret', () => {
  const HASURA_GRAPHQL_ADMIN_SECRET = 'theirs'
  const { hasura } = readSettings({ HASURA_GRAPHQL_ENDPOINT, HASURA_GRAPHQL_ADMIN_SECRET })
  expect(hasura).toEqual({ endpoint: 'http://hasura.example:8080', adminSecret: 'theirs' })
})

test.each([
  [
    'an outside Hasura without its secret',
    { HASURA_GRAPHQL_ENDPOINT },
    'HASURA_GRAPHQL_ADMIN_SECRET',
  ],
  [
    'an address without its protocol',
    { HASURA_GRAPHQL_ENDPOINT: 'localhost:8080' },
    'HASURA_GRAPHQL_ENDPOINT',
  ],
  ['a database of another kind', { DATABASE_URL: 'mysql://localhost/app' }, 'DATABASE_URL'],
  ['a port that there is not', { OIDC_PORT: '65536' }, 'OIDC_PORT'],
])('%s is refused by its name', (_, environment, name) => {
  expect(() => readSettings(environment)).toThrow(name)
})
