import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { load } from 'js-yaml'
import { beforeAll, describe, expect, test } from 'vitest'
import { present } from '../../../lib/runtime/present.ts'
import { VERSION } from '../../../packages/engine/config/version.ts'
import { compose } from '../../support/compose.ts'
import { instructionsOf } from '../../support/dockerfile.ts'
import { noHelm, type Rendered, render } from '../../support/kubernetes/helm.ts'
import { type Container, type Pod, podsOf } from '../../support/kubernetes/pods.ts'
import { small, withEverything, withSecretsByHand } from '../../support/kubernetes/values.ts'

const SERVING = ['demo-proxy', 'demo-webhooks', 'demo-oidc', 'demo-hasura']

describe.skipIf(noHelm)('the pods of the chart', () => {
  let objects: Rendered[]
  let pods: Pod[]
  const containers = () => pods.flatMap(({ spec }) => spec.containers)
  const serving = () => pods.filter(({ kind }) => kind === 'Deployment')
  const podCalled = (name: string) =>
    present(
      pods.find((pod) => pod.name === name),
      name,
    )

  beforeAll(async () => {
    const all = [withSecretsByHand, withEverything, small]
    objects = (await Promise.all(all.map((values) => render(values)))).flat()
    pods = podsOf(objects)
  })

  test('are those of docker-compose.yml, a job for the migrations and a test', () => {
    expect(new Set(pods.map(({ name }) => name))).toEqual(
      new Set([...SERVING, 'demo-migrations-1', 'demo-test']),
    )
  })

  test('run without rights, on a file system that they cannot change', () => {
    for (const { spec } of pods) {
      expect(spec).toMatchObject({
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      })
      expect(spec.securityContext.runAsUser).toBeGreaterThanOrEqual(1_000)
      for (const forbidden of ['hostNetwork', 'hostPID', 'hostIPC', 'shareProcessNamespace'])
        expect(spec).not.toHaveProperty(forbidden)
      for (const volume of spec.volumes)
        expect(Object.keys(volume)).toEqual([
          'name',
          expect.stringMatching(/^(secret|configMap|emptyDir)$/),
        ])
    }
    for (const { name, securityContext } of containers()) {
      // As in docker-compose.yml: Caddy's program file has this capability.
      const added = name === 'proxy' ? { add: ['NET_BIND_SERVICE'] } : {}
      expect([name, securityContext]).toEqual([
        name,
        {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'], ...added },
        },
      ])
    }
  })

  test('have the users of docker-compose.yml', () => {
    for (const name of ['proxy', 'hasura'] as const) {
      const user = podCalled(`demo-${name}`).spec.securityContext.runAsUser
      expect(`${user}:${user}`).toBe(compose.services[name]?.user)
    }
  })

  test('are promised CPU and memory, and may take no more memory and disk than theirs', () => {
    for (const { name, resources } of containers()) {
      const named = [
        name,
        Object.keys(resources.requests).sort(),
        Object.keys(resources.limits).sort(),
      ]
      const own = ['ephemeral-storage', 'memory']
      expect(named).toEqual([name, ['cpu', ...own], own])
    }
  })

  test('hold no secret in arguments, in plain variables or in a ConfigMap', () => {
    const secret =
      /SECRET|PEPPER|PASSWORD$|COOKIE_KEYS|SMTP_URL|RPC_URL|PAYMENT_CHAINS|PRICE_PROVIDER|PRICE_FEEDS|HEADERS|AUTHORIZATION|DATABASE_URL/
    for (const { env, args, command } of containers()) {
      expect([...args, ...command].join()).not.toMatch(/\$\(\w+\)/)
      for (const { name, value } of env.filter((each) => secret.test(each.name)))
        expect([name, value ?? '$(…)']).toEqual([name, expect.stringContaining('$(')])
    }
    const { secrets } = withEverything
    const elsewhere = JSON.stringify(objects.filter(({ kind }) => kind !== 'Secret'))
    for (const [name, value] of Object.entries(secrets.values))
      expect([name, elsewhere.includes(value)]).toEqual([name, false])
  })

  test('know PostgreSQL by its certificate, and nobody has the key that signs it', () => {
    const volumes = pods.flatMap(({ spec }) => spec.volumes.flatMap(({ secret }) => secret ?? []))
    expect(volumes.length).toBeGreaterThan(0)
    for (const { secretName, items } of volumes)
      expect([secretName, items.map(({ key }) => key)]).toEqual(['demo-postgres-ca', ['ca.crt']])
    for (const { env, volumeMounts } of containers())
      for (const { value } of env.filter(({ name }) => name.endsWith('DATABASE_URL'))) {
        const { searchParams } = new URL(String(value).replace(/\$\(\w+\)/, 'x'))
        expect(searchParams.get('sslmode')).toMatch(/^verify-/)
        const certificate = searchParams.get('sslrootcert')
        expect(volumeMounts.map(({ mountPath }) => `${mountPath}/ca.crt`)).toContain(certificate)
      }
  })

  test('get requests only when all they depend on has answered once, and are restarted only when they do not answer', () => {
    const paths = (container: Container | undefined) =>
      [container?.startupProbe, container?.readinessProbe, container?.livenessProbe].map(
        (probe) => probe?.httpGet.path,
      )
    const found = serving().map(({ name, spec }) => [name, paths(spec.containers[0])])
    expect(Object.fromEntries(found)).toEqual({
      'demo-proxy': ['/', '/', '/'],
      'demo-webhooks': ['/readyz', '/healthz', '/healthz'],
      'demo-oidc': ['/readyz', '/healthz', '/healthz'],
      'demo-hasura': ['/healthz?strict=true', '/healthz', '/v1/version'],
    })
    for (const { spec } of serving())
      for (const { ports, startupProbe, readinessProbe, livenessProbe } of spec.containers)
        for (const probe of [startupProbe, readinessProbe, livenessProbe])
          expect(ports.map(({ name }) => name)).toContain(probe?.httpGet.port)
  })

  test('are replaced one by one, each going on until nobody sends it requests, and then ending them', () => {
    for (const { name, spec } of serving()) {
      const sleep = spec.containers[0]?.lifecycle?.preStop.sleep.seconds ?? 0
      const service = compose.services[name.replace('demo-', '')]
      const ending = Number.parseInt(String(service?.stop_grace_period ?? '10s'), 10)
      // Names are kept five seconds by the DNS and five by the proxy.
      expect([name, sleep]).toEqual([name, expect.toSatisfy((seconds: number) => seconds >= 10)])
      expect(spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(sleep + ending)
    }
    const strategies = objects
      .filter(({ kind }) => kind === 'Deployment')
      .map(({ spec }) => Object(spec).strategy)
    for (const strategy of strategies)
      expect(strategy.rollingUpdate).toEqual({ maxUnavailable: 0, maxSurge: 1 })
  })

  test('are spread over zones and nodes, and nodes are emptied one instance at a time', async () => {
    // CloudNativePG makes the pods of the pooler, with this label of its own.
    const ofPooler = { 'cnpg.io/poolerName': 'demo-postgres-pooler' }
    const pooler = Object(
      present(
        objects.find(({ kind }) => kind === 'Pooler'),
        'the pooler',
      ).spec,
    ).template.spec
    const spread = [...serving(), { labels: ofPooler, spec: pooler }]
    for (const { labels, spec } of spread)
      expect(spec.topologySpreadConstraints).toMatchObject(
        ['topology.kubernetes.io/zone', 'kubernetes.io/hostname'].map((topologyKey) => ({
          topologyKey,
          labelSelector: { matchLabels: labels },
        })),
      )
    const budgets = objects.filter(({ kind }) => kind === 'PodDisruptionBudget')
    expect(new Set(budgets.map(({ metadata }) => metadata.name))).toEqual(
      new Set([...SERVING, 'demo-pooler']),
    )
    for (const { metadata, spec } of budgets) {
      const isPooler = metadata.name === 'demo-pooler'
      const matchLabels = isPooler ? ofPooler : podCalled(metadata.name).labels
      expect(spec).toMatchObject({ maxUnavailable: 1, selector: { matchLabels } })
    }
    const withoutPooler = await render(withSecretsByHand)
    expect(withoutPooler.map(({ metadata }) => metadata.name)).not.toContain('demo-pooler')
  })

  test('an update applies the migrations once, before anything else is changed', async () => {
    const [install, upgrade] = await Promise.all([
      render(withSecretsByHand),
      render(withSecretsByHand, '--is-upgrade'),
    ])
    const job = (rendered: Rendered[]) => rendered.filter(({ kind }) => kind === 'Job')
    expect(job(install).map(({ metadata }) => metadata.annotations)).toEqual([{}])
    expect(job(upgrade)).toMatchObject([
      {
        metadata: { annotations: { 'helm.sh/hook': 'pre-upgrade' } },
        spec: { completions: 1, parallelism: 1, backoffLimit: 5 },
      },
    ])
    expect(instructionsOf('migrations')).toEqual([
      ['FROM', `hasura/graphql-engine:${VERSION}.cli-migrations-v3`],
      ['COPY', 'hasura/migrations /hasura-migrations'],
      ['COPY', 'hasura/metadata /hasura-metadata'],
    ])
    expect(podCalled('demo-hasura').spec.containers[0]?.image).toBe(
      `hasura/graphql-engine:${VERSION}`,
    )
  })

  test('an upgrade waits for its job until the job has given up', () => {
    const page = readFileSync('docs/operations/kubernetes.md', 'utf8')
    const minutes = Number(/^helm upgrade personhood .* --timeout (\d+)m$/m.exec(page)?.[1])
    const job = present(
      objects.find(({ kind }) => kind === 'Job'),
      'the job',
    )
    expect(Object(job.spec).activeDeadlineSeconds).toBeLessThan(minutes * 60)
  })

  test('the one of `helm test` succeeds only when both services answer, and what is for those inside is refused', async () => {
    const inside = /\/api\/_|\/hasura\/|\/readyz/
    let isOpen = false
    const answer = createServer(({ url = '' }, response) =>
      response.writeHead(inside.test(url) && !isOpen ? 404 : 200).end(),
    )
    await once(answer.listen(0, '127.0.0.1'), 'listening')
    const container = present(podCalled('demo-test').spec.containers[0], 'its container')
    const script = container.args
      .join()
      .replace('http://demo-proxy', 'http://127.0.0.1')
      .replaceAll(/:300[01]/g, `:${Object(answer.address()).port}`)
    const run = async () => {
      const child = spawn(process.execPath, [...container.command.slice(1), script])
      return (await once(child, 'exit'))[0]
    }
    expect(await run()).toBe(0)
    isOpen = true
    expect(await run()).toBe(1)
    answer.close()
  })

  test('are scaled by a metric that the rule for the adapter makes of one that exists', async () => {
    const scalers = objects.filter(({ kind }) => kind === 'HorizontalPodAutoscaler')
    const metrics = Object.fromEntries(
      scalers.map(({ metadata, spec }) => [metadata.name, Object(spec).metrics[0]]),
    )
    expect(metrics['demo-oidc']).toMatchObject({ type: 'Resource', resource: { name: 'cpu' } })
    const { pods: byPod } = metrics['demo-webhooks']
    const [rule] = Object(load(readFileSync('ops/prometheus-adapter.yml', 'utf8'))).rules.custom
    expect(rule.name.as).toBe(byPod.metric.name)
    expect(rule.seriesQuery).toMatch(/^proof_wait_seconds\{.*quantile="0\.99"\}$/)
  })
})
