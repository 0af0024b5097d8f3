import { readFileSync } from 'node:fs'
import { load } from 'js-yaml'
import { beforeAll, describe, expect, test } from 'vitest'
import { readConfig, readSignInConfig } from '../../../lib/runtime/config.ts'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import {
  compose,
  listVariables,
  operatorEnvironment,
  readEnvironment,
} from '../../support/compose.ts'
import { noHelm, type Rendered, render } from '../../support/kubernetes/helm.ts'
import { environmentIn, podsOf, secretsIn } from '../../support/kubernetes/pods.ts'
import { withEverything, withSecretsInValues } from '../../support/kubernetes/values.ts'

describe.skipIf(noHelm)('the chart configures the services like docker-compose.yml', () => {
  let objects: Rendered[]
  beforeAll(async () => {
    objects = await render(withSecretsInValues)
  })

  test('the services get the settings of docker-compose.yml from the chart, apart from addresses and proxy hops', () => {
    // The chart sets these three. docker-compose.yml leaves them to their defaults, which may depend on the number of cores.
    const sizes = { PASSWORD_CONCURRENCY: '1', VERIFIER_THREADS: '2', DATABASE_POOL_SIZE: '6' }
    const env = { ...operatorEnvironment, ...sizes }
    const chart = readConfig(environment(objects, 'demo-webhooks'))
    const composeConfig = readConfig(readEnvironment(compose.services.webhooks, env))
    expect(differences(chart, composeConfig)).toEqual({
      HASURA_GRAPHQL_ENDPOINT: 'http://demo-hasura:8080',
      TRUSTED_PROXY_HOPS: 2,
    })
    const signIn = readSignInConfig(environment(objects, 'demo-oidc'))
    const composeSignIn = readSignInConfig(readEnvironment(compose.services.oidc, env))
    expect(differences(signIn, composeSignIn)).toEqual({
      DATABASE_URL: expect.stringMatching(
        /^postgres:\/\/sign_in:aPassword\w+@demo-postgres-rw:5432\//,
      ),
      HASURA_GRAPHQL_ENDPOINT: 'http://demo-hasura:8080',
      TRUSTED_PROXY_HOPS: 2,
    })
  })

  test('Hasura and the migrations job get the settings of docker-compose.yml, apart from addresses and folders', () => {
    const hasura = environment(objects, 'demo-hasura')
    const composeEnvironment = readEnvironment(compose.services.hasura, operatorEnvironment)
    expect(differences(hasura, composeEnvironment)).toEqual({
      HASURA_DATABASE_PASSWORD: 'aPasswordOfHasura',
      HASURA_GRAPHQL_AUTH_HOOK: 'http://demo-webhooks:3000/hasura/auth',
      HASURA_GRAPHQL_DATABASE_URL: expect.stringMatching(
        /^postgres:\/\/hasura:aPasswordOfHasura@demo-postgres-rw:5432\//,
      ),
      INTERNAL_SECRET: operatorEnvironment.INTERNAL_SECRET,
      WEBHOOKS_URL: 'http://demo-webhooks:3000',
    })
    const onlyInCompose = Object.keys(composeEnvironment).filter((name) => !(name in hasura))
    expect(onlyInCompose.sort()).toEqual([
      'HASURA_GRAPHQL_METADATA_DIR',
      'HASURA_GRAPHQL_MIGRATIONS_DIR',
      'HOME',
    ])
    expect(environment(objects, 'demo-migrations-1')).toMatchObject(hasura)
  })

  test('the migrations job delivers no events, because it cannot reach the services', () => {
    const name = 'HASURA_GRAPHQL_DISABLE_EVENTING'
    expect(environment(objects, 'demo-migrations-1')[name]).toBe('true')
    expect(environment(objects, 'demo-hasura')).not.toHaveProperty(name)
  })

  test('during a change of the admin secret, the developer API has both secrets, and Hasura keeps the current one', async () => {
    const nextSecret = 'the-next-admin-secret-of-these-tests'
    const values = structuredClone(withSecretsInValues)
    Object.assign(values.secrets.values, { HASURA_GRAPHQL_ADMIN_SECRET_ALSO: nextSecret })
    const newObjects = await render(values)
    const { HASURA_GRAPHQL_ADMIN_SECRET: secrets } = readConfig(
      environment(newObjects, 'demo-webhooks'),
    )
    expect(secrets).toEqual([operatorEnvironment.HASURA_GRAPHQL_ADMIN_SECRET, nextSecret])
    const { HASURA_GRAPHQL_ADMIN_SECRET } = environment(newObjects, 'demo-hasura')
    expect(HASURA_GRAPHQL_ADMIN_SECRET).toBe(operatorEnvironment.HASURA_GRAPHQL_ADMIN_SECRET)
    const checksums = [objects, newObjects].map((each) => checksumsOf(each))
    expect(checksums[0]).not.toEqual(checksums[1])
  })

  test('every variable of docker-compose.yml except seven is set by the chart or can be set by a value', () => {
    const schema = JSON.parse(readFileSync('ops/kubernetes/values.schema.json', 'utf8'))
    const { config, secrets } = schema.properties
    const names = [config, secrets.properties.values].flatMap(({ properties }) =>
      Object.keys(properties),
    )
    const chartVariables = ['demo-webhooks', 'demo-oidc'].flatMap((name) =>
      Object.keys(environment(objects, name)),
    )
    const settable = new Set([...names, ...chartVariables])
    const onlyInCompose = [...listVariables(compose)].filter((name) => !settable.has(name))
    // PROCESSES and PRICES_PORT are for a single machine. CloudNativePG needs no password for the superuser. The version of the
    // images is the value `images.tag`, and TRUSTED_PROXIES is the value `proxy.trustedProxies`. The addresses of the proxy are
    // for the ports of one machine.
    expect(onlyInCompose.sort()).toEqual([
      'PLATFORM_VERSION',
      'POSTGRES_PASSWORD',
      'PRICES_PORT',
      'PROCESSES',
      'PROXY_API_ADDRESS',
      'PROXY_SIGN_IN_ADDRESS',
      'TRUSTED_PROXIES',
    ])
    expect(names.filter((name) => !listVariables(compose).has(name))).toEqual([])
  })

  test('PostgreSQL waits for a standby and limits idle transactions, and Helm rejects one connection too few', async () => {
    const cluster = Object(objects.find(({ kind }) => kind === 'Cluster')).spec
    expect(cluster).toMatchObject({
      instances: 3,
      enableSuperuserAccess: false,
      postgresql: {
        synchronous: {
          method: 'any',
          number: 1,
          dataDurability: 'required',
          failoverQuorum: true,
        },
        parameters: { idle_in_transaction_session_timeout: '60s' },
      },
    })
    expect(JSON.stringify(compose.services.postgres?.command)).toContain(
      'idle_in_transaction_session_timeout=60s',
    )
    const [source] = Object(load(readFileSync('hasura/metadata/databases/databases.yaml', 'utf8')))
    const poolSize = source.configuration.connection_info.pool_settings.max_connections
    // Hasura and the sign-in server have two instances each, and during an update also two old ones.
    const sum = 4 * poolSize + 4 * 6 + 20
    await expect(
      render({ ...withSecretsInValues, postgres: { maxConnections: sum } }),
    ).resolves.toBeTruthy()
    await expect(
      render({ ...withSecretsInValues, postgres: { maxConnections: sum - 1 } }),
    ).rejects.toThrow(`postgres.maxConnections: ${sum} connections`)
  })

  test('the chart contains the alerts and the dashboard of ops/', async () => {
    const everything = await render(withEverything)
    const rule = everything.find(({ kind }) => kind === 'PrometheusRule')
    expect(rule?.spec).toEqual(load(readFileSync('ops/alerts.yml', 'utf8')))
    const dashboard = everything.find(({ metadata }) => metadata.labels.grafana_dashboard)
    expect(Object(dashboard).data['personhood.json']).toBe(
      readFileSync('ops/grafana-dashboard.json', 'utf8'),
    )
  })
})

function environment(objects: Rendered[], name: string): Record<string, string> {
  const pod = podsOf(objects).find((each) => each.name === name)
  return environmentIn(requireValue(pod?.spec.containers[0], name), secretsIn(objects))
}

function checksumsOf(objects: Rendered[]): string[] {
  return objects.flatMap(({ kind, spec }) =>
    kind === 'Deployment' ? JSON.stringify(Object(spec).template.metadata.annotations) : [],
  )
}

/** Returns the fields of the first object that have a different value in the second. */
function differences(first: object, second: object): Record<string, unknown> {
  const secondValues = new Map(Object.entries(second))
  return Object.fromEntries(
    Object.entries(first).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(secondValues.get(name)),
    ),
  )
}
