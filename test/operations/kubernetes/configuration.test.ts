import { readFileSync } from 'node:fs'
import { load } from 'js-yaml'
import { beforeAll, describe, expect, test } from 'vitest'
import { readConfig, readSignInConfig } from '../../../lib/runtime/config.ts'
import { present } from '../../../lib/runtime/present.ts'
import { compose, environmentOf, operator, variablesOf } from '../../support/compose.ts'
import { noHelm, type Rendered, render } from '../../support/kubernetes/helm.ts'
import { environmentIn, podsOf, secretsIn } from '../../support/kubernetes/pods.ts'
import { withEverything, withSecretsInValues } from '../../support/kubernetes/values.ts'

describe.skipIf(noHelm)('what the chart configures', () => {
  let objects: Rendered[]
  beforeAll(async () => {
    objects = await render(withSecretsInValues)
  })

  test('the services read it, and find what docker-compose.yml tells them', () => {
    // By default they follow the cores of the machine, and connections are not shared by several machines.
    const sizes = { PASSWORD_CONCURRENCY: '1', VERIFIER_THREADS: '2', DATABASE_POOL_SIZE: '6' }
    const env = { ...operator, ...sizes }
    const chart = readConfig(environment(objects, 'demo-webhooks'))
    const here = readConfig(environmentOf(compose.services.webhooks, env))
    expect(differences(chart, here)).toEqual({
      HASURA_GRAPHQL_ENDPOINT: 'http://demo-hasura:8080',
      TRUSTED_PROXY_HOPS: 2,
    })
    const signIn = readSignInConfig(environment(objects, 'demo-oidc'))
    const signInHere = readSignInConfig(environmentOf(compose.services.oidc, env))
    expect(differences(signIn, signInHere)).toEqual({
      DATABASE_URL: expect.stringMatching(
        /^postgres:\/\/sign_in:aPassword\w+@demo-postgres-rw:5432\//,
      ),
      HASURA_GRAPHQL_ENDPOINT: 'http://demo-hasura:8080',
      TRUSTED_PROXY_HOPS: 2,
    })
  })

  test('Hasura has the variables of docker-compose.yml, and its migrations the same', () => {
    const hasura = environment(objects, 'demo-hasura')
    const here = environmentOf(compose.services.hasura, operator)
    expect(differences(hasura, here)).toEqual({
      HASURA_DATABASE_PASSWORD: 'aPasswordOfHasura',
      HASURA_GRAPHQL_AUTH_HOOK: 'http://demo-webhooks:3000/hasura/auth',
      HASURA_GRAPHQL_DATABASE_URL: expect.stringMatching(
        /^postgres:\/\/hasura:aPasswordOfHasura@demo-postgres-rw:5432\//,
      ),
      INTERNAL_SECRET: operator.INTERNAL_SECRET,
      WEBHOOKS_URL: 'http://demo-webhooks:3000',
    })
    const onlyThere = Object.keys(here).filter((name) => !(name in hasura))
    expect(onlyThere.sort()).toEqual([
      'HASURA_GRAPHQL_METADATA_DIR',
      'HASURA_GRAPHQL_MIGRATIONS_DIR',
      'HOME',
    ])
    expect(environment(objects, 'demo-migrations-1')).toMatchObject(hasura)
  })

  test('the Hasura of the migrations, which reaches nobody, leaves events to those that serve', () => {
    const name = 'HASURA_GRAPHQL_DISABLE_EVENTING'
    expect(environment(objects, 'demo-migrations-1')[name]).toBe('true')
    expect(environment(objects, 'demo-hasura')).not.toHaveProperty(name)
  })

  test('a secret shared with Hasura is accepted beside the next one while both are in use', async () => {
    const next = 'the-next-admin-secret-of-these-tests'
    const values = structuredClone(withSecretsInValues)
    Object.assign(values.secrets.values, { HASURA_GRAPHQL_ADMIN_SECRET_ALSO: next })
    const changed = await render(values)
    const accepted = readConfig(environment(changed, 'demo-webhooks')).HASURA_GRAPHQL_ADMIN_SECRET
    expect(accepted).toEqual([operator.HASURA_GRAPHQL_ADMIN_SECRET, next])
    const { HASURA_GRAPHQL_ADMIN_SECRET } = environment(changed, 'demo-hasura')
    expect(HASURA_GRAPHQL_ADMIN_SECRET).toBe(operator.HASURA_GRAPHQL_ADMIN_SECRET)
    const checksums = [objects, changed].map((each) => checksumsOf(each))
    expect(checksums[0]).not.toEqual(checksums[1])
  })

  test('every variable of the services is set by the chart, or one of the values', () => {
    const schema = JSON.parse(readFileSync('ops/kubernetes/values.schema.json', 'utf8'))
    const { config, secrets } = schema.properties
    const names = [config, secrets.properties.values].flatMap(({ properties }) =>
      Object.keys(properties),
    )
    const set = ['demo-webhooks', 'demo-oidc'].flatMap((name) =>
      Object.keys(environment(objects, name)),
    )
    const settable = new Set([...names, ...set])
    const inCompose = [...variablesOf(compose)].filter((name) => !settable.has(name))
    // Processes and the port of the prices alone are for one machine; CloudNativePG needs no password of the superuser; the
    // version of the images is a value of its own.
    expect(inCompose.sort()).toEqual([
      'PLATFORM_VERSION',
      'POSTGRES_PASSWORD',
      'PRICES_PORT',
      'PROCESSES',
      'TRUSTED_PROXIES',
    ])
    expect(names.filter((name) => !variablesOf(compose).has(name))).toEqual([])
  })

  test('PostgreSQL has the connections and time limits that the parts need', async () => {
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
    const each = source.configuration.connection_info.pool_settings.max_connections
    // Two instances of each, and in an update two that end beside them: they keep their connections until they have ended.
    const sum = 4 * each + 4 * 6 + 20
    await expect(
      render({ ...withSecretsInValues, postgres: { maxConnections: sum } }),
    ).resolves.toBeTruthy()
    await expect(
      render({ ...withSecretsInValues, postgres: { maxConnections: sum - 1 } }),
    ).rejects.toThrow(`postgres.maxConnections: ${sum} connections`)
  })

  test('the alerts and the dashboard are those of ops/', async () => {
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
  return environmentIn(present(pod?.spec.containers[0], name), secretsIn(objects))
}

function checksumsOf(objects: Rendered[]): string[] {
  return objects.flatMap(({ kind, spec }) =>
    kind === 'Deployment' ? JSON.stringify(Object(spec).template.metadata.annotations) : [],
  )
}

/** What the first has otherwise than the second. */
function differences(one: object, other: object): Record<string, unknown> {
  const others = new Map(Object.entries(other))
  return Object.fromEntries(
    Object.entries(one).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(others.get(name)),
    ),
  )
}
