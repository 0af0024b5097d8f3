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

test('ops/kubernetes/README.md lists every value as it is (else: npm run chart)', () => {
  const document = readFileSync('ops/kubernetes/README.md', 'utf8')
  expect(document).toBe(withChartValues(document))
})

test('every value has a meaning, and is in the schema, which has no other', () => {
  const values = readChartValues(readFileSync('ops/kubernetes/values.yaml', 'utf8'))
  const schema = JSON.parse(readFileSync('ops/kubernetes/values.schema.json', 'utf8'))
  const leaves = new Set(values.map(({ path }) => path.join('.')))
  const inSchema = leavesOf(schema, schema, [], leaves)
  expect(inSchema.filter((path) => path !== 'global').sort()).toEqual([...leaves].sort())
})

test('the chart has the version of the platform, and so have its images', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
  const chart = load(readFileSync('ops/kubernetes/Chart.yaml', 'utf8'))
  expect(chart).toMatchObject({ version, appVersion: version })
})

test('a value is read with the comment right above it, and what is inside of it belongs to it', () => {
  const text =
    '# Of the file\n\na:\n  # One\n  # and two\n  b:\n    - c: 1\n      d: 2\n  # Three\n  e: x\n'
  expect(readChartValues(text)).toEqual([
    { path: ['a', 'b'], value: [{ c: 1, d: 2 }], meaning: 'One and two' },
    { path: ['a', 'e'], value: 'x', meaning: 'Three' },
  ])
})

/** Each of these is wrong in itself. */
const WRONG = {
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

const NAMES = [
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

describe.skipIf(noHelm)('a value that is wrong is refused by its name', () => {
  let message = ''
  beforeAll(async () => {
    const refused = String(await render(WRONG).catch((error: unknown) => error))
    // Helm names them in any order.
    message = refused.replace(/(?<=additional properties )'.*'(?= not allowed)/g, (names) =>
      names.split(', ').sort().join(', '),
    )
  })

  test.each(NAMES)('%s', (name) => {
    expect(message).toContain(name)
  })

  test.each([
    ['API_KEY_PEPPER', 'short'],
    ['COOKIE_KEYS', 'the-first-cookie-key-of-these-tests,short'],
    ['HASURA_DATABASE_PASSWORD', 'with/slash-and-more'],
    [
      'HASURA_GRAPHQL_ADMIN_SECRET',
      'the-one-and-the-other-admin-secret,the-one-and-the-other-admin-secret',
    ],
  ])('the secret %s, which is not printed', async (name, value) => {
    const { values } = withSecretsInValues.secrets
    const wrong = { ...withSecretsInValues, secrets: { values: { ...values, [name]: value } } }
    const refused = String(await render(wrong).catch((error: unknown) => error))
    expect(refused).toContain(`secrets.values.${name} does not match the format`)
    expect(refused).not.toContain(value)
  })

  test('so is one that is missing', async () => {
    const { baseUrl: _, ...withoutUrl } = withSecretsByHand
    await expect(render(withoutUrl)).rejects.toThrow('/baseUrl')
    const { API_KEY_PEPPER: __, ...values } = withSecretsInValues.secrets.values
    const missing = { ...withSecretsInValues, secrets: { values } }
    await expect(render(missing)).rejects.toThrow('secrets.values.API_KEY_PEPPER is missing')
    const roles = { ...withSecretsByHand, secrets: { existing: { platform: 'p' } } }
    await expect(render(roles)).rejects.toThrow('secrets.existing.hasuraRole')
  })

  test('so is a restore that names no cluster, or would write into the backup that it reads', async () => {
    const restore = { objectStore: 'backups' }
    const nameless = { ...withSecretsByHand, postgres: { restore } }
    await expect(render(nameless)).rejects.toThrow('postgres.restore.server is missing')
    const postgres = { restore: { ...restore, server: 'demo-postgres' }, backups: restore }
    const same = render({ ...withSecretsByHand, postgres })
    await expect(same).rejects.toThrow('postgres.backups.objectStore: the restored cluster')
  })

  test('so are more instances than there are connections for', async () => {
    const wrong = { ...withSecretsByHand, hasura: { replicas: 9 } }
    await expect(render(wrong)).rejects.toThrow('postgres.maxConnections: 944 connections')
    const oidc = { autoscaling: { enabled: true, max: 5 } }
    const many = { ...withSecretsByHand, oidc }
    await expect(render(many)).rejects.toThrow('oidc: 60 connections of 5 instances')
    const smaller = { ...many, config: { DATABASE_POOL_SIZE: '5' } }
    await expect(render(smaller)).resolves.toBeTruthy()
  })

  test('the instances that are left enough connections are those of the page', async () => {
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

test.skipIf(noHelm)('Helm finds nothing to complain of', async () => {
  for (const values of [withSecretsByHand, withEverything])
    expect(await lint(values)).toContain('1 chart(s) linted, 0 chart(s) failed')
})

/** The paths at which a schema has a value, as far as `leaves` go. */
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
