import { createHasuraCaller, requireEmptyHasura } from '../packages/platform/parts/empty-hasura.ts'

// Checks that `npm run test:hasura` runs on an empty Hasura, because its cases delete everything in the database.

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
      'HASURA_GRAPHQL_ENDPOINT is not set: start a Hasura v2 on an empty database, then set HASURA_GRAPHQL_ENDPOINT and HASURA_GRAPHQL_ADMIN_SECRET.',
    )
  if (stringify === 'true' && !(hook && databaseUrl))
    throw new Error(
      'The tests of the platform need HASURA_GRAPHQL_AUTH_HOOK and DATABASE_URL as well: see test/README.md.',
    )
  const version = await requireEmptyHasura(endpoint, createHasuraCaller(endpoint, secret))
  console.log(`Testing Hasura ${version} at ${endpoint}.`)
  if (stringify !== 'true')
    console.log(
      'Skipping the tests of the platform: they need a Hasura with HASURA_GRAPHQL_STRINGIFY_NUMERIC_TYPES=true (test/README.md).',
    )
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
