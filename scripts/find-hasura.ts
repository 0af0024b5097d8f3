import { askHasuraAt, requireEmptyHasura } from '../packages/platform/parts/empty-hasura.ts'

// Checks whether `npm run test:hasura` may begin: its cases empty the server's database.

const {
  HASURA_GRAPHQL_ENDPOINT: endpoint,
  HASURA_GRAPHQL_ADMIN_SECRET: secret = '',
  HASURA_GRAPHQL_STRINGIFY_NUMERIC_TYPES: stringify,
  HASURA_GRAPHQL_AUTH_HOOK: hook,
  DATABASE_URL: databaseUrl,
} = process.env

try {
  if (!endpoint)
    throw new Error(
      'HASURA_GRAPHQL_ENDPOINT is not set: start a Hasura v2 on an empty database, and set this and its HASURA_GRAPHQL_ADMIN_SECRET.',
    )
  if (stringify === 'true' && !(hook && databaseUrl))
    throw new Error(
      'The tests of the platform also need HASURA_GRAPHQL_AUTH_HOOK and DATABASE_URL: see test/README.md.',
    )
  const version = await requireEmptyHasura(endpoint, askHasuraAt(endpoint, secret))
  console.log(`Testing Hasura ${version} at ${endpoint}.`)
  if (stringify !== 'true')
    console.log(
      'The tests of the platform are left out: they need a Hasura with HASURA_GRAPHQL_STRINGIFY_NUMERIC_TYPES=true (test/README.md).',
    )
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
