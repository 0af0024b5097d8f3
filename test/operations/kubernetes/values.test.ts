import { readFileSync } from 'node:fs'
import { load } from 'js-yaml'
import { beforeAll, describe, expect, test } from 'vitest'
import { readChartValues, withChartValues } from '../../../scripts/chart-values.ts'
import { lint, noHelm, render } from '../../support/kubernetes/helm.ts'
import {
  withEverything,
  withSecretsByHand,
  withSecretsInValues,
} from '../../support/kubernetes/values.ts'

test('ops/kubernetes/README.md lists every value of values.yaml (`npm run chart` updates it)', () => {
  const document = readFileSync('ops/kubernetes/README.md', 'utf8')
  expect(document).toBe(withChartValues(document))
})

test('values.yaml has a comment for each value, and the same values as values.schema.json', () => {
  const values = readChartValues(readFileSync('ops/kubernetes/values.yaml', 'utf8'))
  const schema = JSON.parse(readFileSync('ops/kubernetes/values.schema.json', 'utf8'))
  const leaves = new Set(values.map(({ path }) => path.join('.')))
  const inSchema = leavesOf(schema, schema, [], leaves)
  expect(inSchema.filter((path) => path !== 'global').sort()).toEqual([...leaves].sort())
})

test('the chart and its images have the version of the platform', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
  const chart = load(readFileSync('ops/kubernetes/Chart.yaml', 'utf8'))
  expect(chart).toMatchObject({ version, appVersion: version })
})

test('readChartValues reads each value with the comment directly above it', () => {
  const text =
    '# Of the file\n\na:\n  # One\n  # and two\n  b:\n    - c: 1\n      d: 2\n  # Three\n  e: x\n'
  expect(readChartValues(text)).toEqual([
    { path: ['a', 'b'], value: [{ c: 1, d: 2 }], meaning: 'One and two' },
    { path: ['a', 'e'], value: 'x', meaning: 'Three' },
  ])
})

/** Invalid values. Each value is invalid whatever the other values are. */
const INVALID_VALUES = {
  baseUrl: 'api.example.com',
  authUrl: 'https://id.example.com/auth',
  webhooks: { replica: 4, replicas: '4', autoscaling: { by: 'memory' } },
  config: {
    LOG_LEVEL: 'loud',
    SMTP_URL: 'smtp://a:b@c',
    START_PAGE_FILE: 'x',
    HASURA_TIMEOUT_MS: 5,
  },
  secrets: { values: { POSTGRES_PASSWORD: 'x' } },
  images: { hasura: 'hasura/graphql-engine:latest', proxy: 'caddy' },
  postgres: {
    parameters: { max_connections: '500' },
    backups: { schedule: '0 3 * * *' },
    storage: { size: 'large' },
  },
  gateway: { enabled: true },
  networkPolicies: { callers: [{}] },
  monitoring: { alerts: 'yes' },
}

const ERRORS = [
  "at '/baseUrl'",
  "at '/authUrl'",
  "at '/webhooks': additional properties 'replica' not allowed",
  "at '/webhooks/replicas': got string, want integer",
  "at '/webhooks/autoscaling/by'",
  "at '/config/LOG_LEVEL'",
  "at '/config': additional properties 'SMTP_URL', 'START_PAGE_FILE' not allowed",
  "at '/config/HASURA_TIMEOUT_MS': got number, want string",
  "at '/secrets/values': additional properties 'POSTGRES_PASSWORD' not allowed",
  "at '/images/hasura'",
  "at '/images/proxy'",
  "at '/postgres/parameters/max_connections'",
  "at '/postgres/backups/schedule'",
  "at '/postgres/storage/size'",
  "at '/gateway/parentRefs'",
  "at '/networkPolicies/callers/0'",
  "at '/monitoring/alerts': got string, want boolean",
]

describe.skipIf(noHelm)('Helm rejects invalid values', () => {
  let message = ''
  beforeAll(async () => {
    const error = String(await render(INVALID_VALUES).catch((reason: unknown) => reason))
    // Helm lists the properties in any order.
    message = error.replace(/(?<=additional properties )'.*'(?= not allowed)/g, (names) =>
      names.split(', ').sort().join(', '),
    )
  })

  test.each(ERRORS)('Helm reports the invalid value: %s', (error) => {
    expect(message).toContain(error)
  })

  test.each([
    ['API_KEY_PEPPER', 'short'],
    ['COOKIE_KEYS', 'the-first-cookie-key-of-these-tests,short'],
    ['HASURA_DATABASE_PASSWORD', 'with/slash-and-more'],
    [
      'HASURA_GRAPHQL_ADMIN_SECRET',
      'the-one-and-the-other-admin-secret,the-one-and-the-other-admin-secret',
    ],
  ])('Helm rejects an invalid secret %s without printing it', async (name, value) => {
    const { values } = withSecretsInValues.secrets
    const invalid = { ...withSecretsInValues, secrets: { values: { ...values, [name]: value } } }
    const error = String(await render(invalid).catch((reason: unknown) => reason))
    expect(error).toContain(`secrets.values.${name} does not match the format`)
    expect(error).not.toContain(value)
  })

  test('Helm names a required value that is missing', async () => {
    const { baseUrl: _, ...withoutUrl } = withSecretsByHand
    await expect(render(withoutUrl)).rejects.toThrow('/baseUrl')
    const { API_KEY_PEPPER: __, ...values } = withSecretsInValues.secrets.values
    const missing = { ...withSecretsInValues, secrets: { values } }
    await expect(render(missing)).rejects.toThrow('secrets.values.API_KEY_PEPPER is missing')
    const roles = { ...withSecretsByHand, secrets: { existing: { platform: 'p' } } }
    await expect(render(roles)).rejects.toThrow('secrets.existing.hasuraRole')
  })

  test('Helm rejects a restore without a server, and a restore that would write into its own backup', async () => {
    const restore = { objectStore: 'backups' }
    const nameless = { ...withSecretsByHand, postgres: { restore } }
    await expect(render(nameless)).rejects.toThrow('postgres.restore.server is missing')
    const postgres = { restore: { ...restore, server: 'demo-postgres' }, backups: restore }
    const same = render({ ...withSecretsByHand, postgres })
    await expect(same).rejects.toThrow('postgres.backups.objectStore: the restored cluster')
  })

  test('Helm rejects more instances than PostgreSQL has connections for', async () => {
    const nineHasuras = { ...withSecretsByHand, hasura: { replicas: 9 } }
    await expect(render(nineHasuras)).rejects.toThrow('postgres.maxConnections: 944 connections')
    const oidc = { autoscaling: { enabled: true, max: 5 } }
    const fiveSignInServers = { ...withSecretsByHand, oidc }
    await expect(render(fiveSignInServers)).rejects.toThrow('oidc: 60 connections of 5 instances')
    const smaller = { ...fiveSignInServers, config: { DATABASE_POOL_SIZE: '5' } }
    await expect(render(smaller)).resolves.toBeTruthy()
  })

  test('the default connections suffice for the numbers of instances in the documentation', async () => {
    const fits = async (values: object) =>
      render({ ...withSecretsByHand, ...values }).then(
        () => true,
        () => false,
      )
    const pool = { config: { DATABASE_POOL_SIZE: '10' } }
    const pooled = { postgres: { pooler: { enabled: true } } }
    expect(await fits({ oidc: { replicas: 4 } })).toBe(true)
    expect(await fits({ oidc: { replicas: 5 } })).toBe(false)
    expect(await fits({ ...pool, oidc: { replicas: 2 } })).toBe(true)
    expect(await fits({ ...pool, oidc: { replicas: 3 } })).toBe(false)
    expect(await fits({ hasura: { replicas: 3 } })).toBe(false)
    expect(await fits({ ...pooled, hasura: { replicas: 3 }, oidc: { replicas: 4 } })).toBe(true)
  })
})

test.skipIf(noHelm)('helm lint finds no errors in the chart', async () => {
  for (const values of [withSecretsByHand, withEverything])
    expect(await lint(values)).toContain('1 chart(s) linted, 0 chart(s) failed')
})

/** Returns the paths of a schema's values. Stops at the paths in `leaves`. */
function leavesOf(
  root: object,
  schema: unknown,
  path: string[],
  leaves: ReadonlySet<string>,
): string[] {
  const name = path.join('.')
  const { $ref, properties } = Object(schema)
  if ($ref) return leavesOf(root, Object(root).$defs[$ref.split('/').at(-1)], path, leaves)
  if (!properties || leaves.has(name)) return [name]
  return Object.entries(properties).flatMap(([key, inner]) =>
    leavesOf(root, inner, [...path, key], leaves),
  )
}
