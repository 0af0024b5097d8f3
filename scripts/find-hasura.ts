import { z } from 'zod'

// Checks whether `npm run test:hasura` may begin: its cases empty the server's database.

const { HASURA_GRAPHQL_ENDPOINT: endpoint, HASURA_GRAPHQL_ADMIN_SECRET: secret } = process.env

const OTHERS = `
  select count(*)::text from pg_class join pg_namespace on pg_namespace.oid = relnamespace
  where relkind in ('r', 'v', 'm', 'p', 'f') and nspname !~ '^(pg_|information_schema$|hdb_)'
    and obj_description('public'::regnamespace, 'pg_namespace') is distinct from 'emptied by test:hasura'`

const Version = z.object({ version: z.string() })
const Counted = z.object({ result: z.tuple([z.unknown(), z.tuple([z.string()])]) })

try {
  console.log(`Testing ${await findEmptyHasura()}.`)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

async function findEmptyHasura(): Promise<string> {
  if (!endpoint) {
    throw new Error(
      'HASURA_GRAPHQL_ENDPOINT is not set: start a Hasura v2 on an empty database, and set this and its HASURA_GRAPHQL_ADMIN_SECRET.',
    )
  }
  const { version } = Version.parse(await askHasura('/v1/version'))
  const counted = await askHasura('/v2/query', { type: 'run_sql', args: { sql: OTHERS } })
  const tables = Counted.parse(counted).result[1][0]
  if (tables !== '0') {
    throw new Error(
      `The database of ${endpoint} already has ${tables} tables, which the tests would drop: they need a Hasura on an empty database.`,
    )
  }
  return `Hasura ${version} at ${endpoint}`
}

async function askHasura(path: string, body?: object): Promise<unknown> {
  const response = await fetch(`${endpoint}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { 'content-type': 'application/json', 'x-hasura-admin-secret': secret ?? '' },
    ...(body && { body: JSON.stringify(body) }),
  }).catch((cause: unknown) => {
    throw new Error(`${endpoint} does not answer.`, { cause })
  })
  if (!response.ok)
    throw new Error(`${endpoint}${path}: ${response.status} ${await response.text()}`)
  return response.json()
}
