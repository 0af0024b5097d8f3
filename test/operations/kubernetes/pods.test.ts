import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { load } from 'js-yaml'
import { beforeAll, describe, expect, test } from 'vitest'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import { VERSION } from '../../../packages/engine/config/version.ts'
import { compose } from '../../support/compose.ts'
import { listInstructions } from '../../support/dockerfile.ts'
import { noHelm, type Rendered, render } from '../../support/kubernetes/helm.ts'
import { type Container, type Pod, podsOf } from '../../support/kubernetes/pods.ts'
import { small, withEverything, withSecretsByHand } from '../../support/kubernetes/values.ts'

const DEPLOYMENTS = ['demo-proxy', 'demo-webhooks', 'demo-oidc', 'demo-hasura']

describe.skipIf(noHelm)('the pods of the chart are isolated, probed and replaced safely', () => {
  let objects: Rendered[]
  let pods: Pod[]
  const containers = () => pods.flatMap(({ spec }) => spec.containers)
  const servingPods = () => pods.filter(({ kind }) => kind === 'Deployment')
  const findPod = (name: string) =>
    requireValue(
      pods.find((pod) => pod.name === name),
      name,
    )

  beforeAll(async () => {
    const valueSets = [withSecretsByHand, withEverything, small]
    objects = (await Promise.all(valueSets.map((values) => render(values)))).flat()
    pods = podsOf(objects)
  })

  test('the chart has a pod for each Deployment, a migrations job and a test pod', () => {
    expect(new Set(pods.map(({ name }) => name))).toEqual(
      new Set([...DEPLOYMENTS, 'demo-migrations-1', 'demo-test']),
    )
  })

  test('pods run without privileges on a read-only file system', () => {
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
      // The file of Caddy's program has this capability, so the container must allow it, as in docker-compose.yml.
      const addition = name === 'proxy' ? { add: ['NET_BIND_SERVICE'] } : {}
      expect([name, securityContext]).toEqual([
        name,
        {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'], ...addition },
        },
      ])
    }
  })

  test('the pods of the proxy and Hasura run as the users of docker-compose.yml', () => {
    for (const name of ['proxy', 'hasura'] as const) {
      const user = findPod(`demo-${name}`).spec.securityContext.runAsUser
      expect(`${user}:${user}`).toBe(compose.services[name]?.user)
    }
  })

  test('every container requests CPU, memory and disk, and has limits for memory and disk', () => {
    for (const { name, resources } of containers()) {
      const resourceNames = [
        name,
        Object.keys(resources.requests).sort(),
        Object.keys(resources.limits).sort(),
      ]
      const limits = ['ephemeral-storage', 'memory']
      expect(resourceNames).toEqual([name, ['cpu', ...limits], limits])
    }
  })

  test('no secret is in an argument, a plain variable or a ConfigMap', () => {
    const secret =
      /SECRET|PEPPER|PASSWORD$|COOKIE_KEYS|SMTP_URL|RPC_URL|PAYMENT_CHAINS|PRICE_PROVIDER|PRICE_FEEDS|HEADERS|AUTHORIZATION|DATABASE_URL/
    for (const { env, args, command } of containers()) {
      expect([...args, ...command].join()).not.toMatch(/\$\(\w+\)/)
      for (const { name, value } of env.filter((each) => secret.test(each.name)))
        expect([name, value ?? '$(…)']).toEqual([name, expect.stringContaining('$(')])
    }
    const { secrets } = withEverything
    const otherObjects = JSON.stringify(objects.filter(({ kind }) => kind !== 'Secret'))
    for (const [name, value] of Object.entries(secrets.values))
      expect([name, otherObjects.includes(value)]).toEqual([name, false])
  })

  test('pods verify the certificate of PostgreSQL, and no pod has the key that signs it', () => {
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

  test('a service gets requests once its dependencies have answered; after that, only a service that does not respond is restarted', () => {
    const paths = (container: Container | undefined) =>
      [container?.startupProbe, container?.readinessProbe, container?.livenessProbe].map(
        (probe) => probe?.httpGet.path,
      )
    const probes = servingPods().map(({ name, spec }) => [name, paths(spec.containers[0])])
    expect(Object.fromEntries(probes)).toEqual({
      'demo-proxy': ['/', '/', '/'],
      'demo-webhooks': ['/readyz', '/healthz', '/healthz'],
      'demo-oidc': ['/readyz', '/healthz', '/healthz'],
      'demo-hasura': ['/healthz?strict=true', '/healthz', '/v1/version'],
    })
    for (const { spec } of servingPods())
      for (const { ports, startupProbe, readinessProbe, livenessProbe } of spec.containers)
        for (const probe of [startupProbe, readinessProbe, livenessProbe])
          expect(ports.map(({ name }) => name)).toContain(probe?.httpGet.port)
  })

  test('pods are replaced one at a time, and an old pod serves for at least ten more seconds', () => {
    for (const { name, spec } of servingPods()) {
      const sleep = spec.containers[0]?.lifecycle?.preStop.sleep.seconds ?? 0
      const service = compose.services[name.replace('demo-', '')]
      const graceSeconds = Number.parseInt(String(service?.stop_grace_period ?? '10s'), 10)
      // CoreDNS by default caches an address for five seconds, and the proxy for another five.
      expect([name, sleep]).toEqual([name, expect.toSatisfy((seconds: number) => seconds >= 10)])
      expect(spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(sleep + graceSeconds)
    }
    const strategies = objects
      .filter(({ kind }) => kind === 'Deployment')
      .map(({ spec }) => Object(spec).strategy)
    for (const strategy of strategies)
      expect(strategy.rollingUpdate).toEqual({ maxUnavailable: 0, maxSurge: 1 })
  })

  test('pods are spread over zones and nodes, and a drain evicts one instance of a part at a time', async () => {
    // CloudNativePG creates the pods of the pooler with this label.
    const poolerLabels = { 'cnpg.io/poolerName': 'demo-postgres-pooler' }
    const pooler = Object(
      requireValue(
        objects.find(({ kind }) => kind === 'Pooler'),
        'the pooler',
      ).spec,
    ).template.spec
    const spreadPods = [...servingPods(), { labels: poolerLabels, spec: pooler }]
    for (const { labels, spec } of spreadPods)
      expect(spec.topologySpreadConstraints).toMatchObject(
        ['topology.kubernetes.io/zone', 'kubernetes.io/hostname'].map((topologyKey) => ({
          topologyKey,
          labelSelector: { matchLabels: labels },
        })),
      )
    const budgets = objects.filter(({ kind }) => kind === 'PodDisruptionBudget')
    expect(new Set(budgets.map(({ metadata }) => metadata.name))).toEqual(
      new Set([...DEPLOYMENTS, 'demo-pooler']),
    )
    for (const { metadata, spec } of budgets) {
      const isPooler = metadata.name === 'demo-pooler'
      const matchLabels = isPooler ? poolerLabels : findPod(metadata.name).labels
      expect(spec).toMatchObject({ maxUnavailable: 1, selector: { matchLabels } })
    }
    const withoutPooler = await render(withSecretsByHand)
    expect(withoutPooler.map(({ metadata }) => metadata.name)).not.toContain('demo-pooler')
  })

  test('an upgrade runs the migrations once, before it changes other objects', async () => {
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
    expect(listInstructions('migrations')).toEqual([
      ['FROM', `hasura/graphql-engine:${VERSION}.cli-migrations-v3`],
      ['COPY', 'hasura/migrations /hasura-migrations'],
      ['COPY', 'hasura/metadata /hasura-metadata'],
    ])
    expect(findPod('demo-hasura').spec.containers[0]?.image).toBe(
      `hasura/graphql-engine:${VERSION}`,
    )
  })

  test('the timeout of the documented helm upgrade is longer than the deadline of the migrations job', () => {
    const page = readFileSync('docs/operations/kubernetes.md', 'utf8')
    const minutes = Number(/^helm upgrade personhood .* --timeout (\d+)m$/m.exec(page)?.[1])
    const job = requireValue(
      objects.find(({ kind }) => kind === 'Job'),
      'the job',
    )
    expect(Object(job.spec).activeDeadlineSeconds).toBeLessThan(minutes * 60)
  })

  test('the pod of `helm test` fails if an internal path can be reached from outside', async () => {
    const internalPaths = /\/api\/_|\/hasura\/|\/readyz/
    let isOpen = false
    const server = createServer(({ url = '' }, response) =>
      response.writeHead(internalPaths.test(url) && !isOpen ? 404 : 200).end(),
    )
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const container = requireValue(findPod('demo-test').spec.containers[0], 'its container')
    const script = container.args
      .join()
      .replace('http://demo-proxy', 'http://127.0.0.1')
      .replaceAll(/:300[01]/g, `:${Object(server.address()).port}`)
    const run = async () => {
      const child = spawn(process.execPath, [...container.command.slice(1), script])
      return (await once(child, 'exit'))[0]
    }
    expect(await run()).toBe(0)
    isOpen = true
    expect(await run()).toBe(1)
    server.close()
  })

  test('ops/prometheus-adapter.yml computes the metric by which the developer API is scaled', async () => {
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
