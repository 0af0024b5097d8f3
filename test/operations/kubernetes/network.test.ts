import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { compose } from '../../support/compose.ts'
import { noHelm, type Rendered, render } from '../../support/kubernetes/helm.ts'
import { podsOf } from '../../support/kubernetes/pods.ts'
import { type Place, reachability } from '../../support/kubernetes/reachability.ts'
import { small, withEverything, withSecretsByHand } from '../../support/kubernetes/values.ts'

const POSTGRES_LABELS = { 'cnpg.io/cluster': 'demo-postgres', 'app.kubernetes.io/instance': 'demo' }

/** Pods outside the release, and hosts outside the cluster. */
const OUTSIDE: Record<string, Place> = {
  ingress: { labels: {}, namespace: { 'kubernetes.io/metadata.name': 'ingress-nginx' } },
  prometheus: { labels: {}, namespace: { 'kubernetes.io/metadata.name': 'monitoring' } },
  operator: { labels: {}, namespace: { 'kubernetes.io/metadata.name': 'cnpg-system' } },
  dns: {
    labels: { 'k8s-app': 'kube-dns' },
    namespace: { 'kubernetes.io/metadata.name': 'kube-system' },
  },
  stranger: { labels: {}, namespace: { 'kubernetes.io/metadata.name': 'elsewhere' } },
  neighbour: { labels: { app: 'somebody' } },
  reader: { labels: { app: 'reader' } },
  internet: { address: '203.0.113.7' },
  cloudMetadata: { address: '169.254.169.254' },
  privateHost: { address: '10.1.2.3' },
}

const PORTS = [53, 443, 587, 2080, 3000, 3001, 5432, 6443, 8000, 8080, 9127, 9187, 9464, 9465]

describe.skipIf(noHelm)('the network policies of the chart allow only required connections', () => {
  let objects: Rendered[]
  let everything: Rendered[]
  beforeAll(async () => {
    objects = await render(withSecretsByHand)
    everything = await render(withEverything)
  })

  /** Returns a function that lists the targets that a place can reach, as `place:port`. */
  function createTargetLister(rendered: Rendered[]) {
    const parts = Object.fromEntries(
      podsOf(rendered).map(({ labels }) => [labels['app.kubernetes.io/component'], { labels }]),
    )
    const postgres = { labels: POSTGRES_LABELS }
    const places: Record<string, Place> = { ...OUTSIDE, ...parts, postgres }
    const canReach = reachability(rendered)
    return (name: string) =>
      Object.entries(places).flatMap(([other, to]) => {
        const from = places[name]
        const ports = other === name && other !== 'postgres' ? [] : PORTS
        return ports.filter((port) => from && canReach(from, to, port)).map((p) => `${other}:${p}`)
      })
  }

  test('each part of the chart reaches only the ports that it needs', () => {
    const from = createTargetLister(objects)
    const parts = ['proxy', 'webhooks', 'oidc', 'hasura', 'migrations', 'postgres', 'test']
    expect(Object.fromEntries(parts.map((name) => [name, from(name).sort()]))).toEqual({
      proxy: ['dns:53', 'oidc:3001', 'webhooks:3000'],
      webhooks: ['dns:53', 'hasura:8080', 'internet:443', 'internet:587'],
      oidc: ['dns:53', 'hasura:8080', 'internet:443', 'postgres:5432'],
      hasura: ['dns:53', 'postgres:5432', 'webhooks:3000'],
      migrations: ['dns:53', 'postgres:5432'],
      // The API of Kubernetes may have any address, so PostgreSQL also reaches ports 443 and 6443 everywhere.
      postgres: expect.arrayContaining(['dns:53', 'postgres:5432', 'postgres:8000']),
      test: ['dns:53', 'proxy:3000', 'proxy:3001'],
    })
    const postgresTargets = from('postgres').filter((place) => !/:(443|6443)$/.test(place))
    expect(postgresTargets.sort()).toEqual(['dns:53', 'postgres:5432', 'postgres:8000'])
  })

  test('from outside, only the ingress reaches the proxy, Prometheus the metrics, and the operator PostgreSQL', () => {
    const from = createTargetLister(objects)
    const releasePods = /^(proxy|webhooks|oidc|hasura|migrations|postgres|test):/
    const places = ['ingress', 'prometheus', 'operator', 'stranger', 'neighbour', 'internet']
    const targets = places.map((name) => [
      name,
      from(name)
        .filter((place) => releasePods.test(place))
        .sort(),
    ])
    expect(Object.fromEntries(targets)).toEqual({
      ingress: ['proxy:3000', 'proxy:3001'],
      prometheus: ['oidc:9465', 'postgres:9187', 'webhooks:9464'],
      operator: ['postgres:5432', 'postgres:8000'],
      stranger: [],
      neighbour: [],
      internet: [],
    })
  })

  test('a part only reaches parts that share a network with it in docker-compose.yml', () => {
    const from = createTargetLister(objects)
    const parts = ['proxy', 'webhooks', 'oidc', 'hasura', 'postgres'] as const
    const networks = (name: string) => compose.services[name]?.networks ?? []
    for (const one of parts)
      for (const place of from(one)) {
        const [other = ''] = place.split(':')
        if (!parts.some((name) => name === other)) continue
        const shared = networks(one).filter((network) => networks(other).includes(network))
        expect([one, other, shared]).not.toEqual([one, other, []])
      }
  })

  test('PostgreSQL reaches ports 443 and 6443 of any address unless networkPolicies.kubernetesApi is set', async () => {
    const outside = (rendered: Rendered[]) =>
      createTargetLister(rendered)('postgres').filter((place) =>
        /^(internet|cloud|private)/.test(place),
      )
    const targets = ['internet', 'cloudMetadata', 'privateHost'].flatMap((name) => [
      `${name}:443`,
      `${name}:6443`,
    ])
    expect(outside(objects)).toEqual(targets)
    const kubernetesApi = [{ ipBlock: { cidr: '10.1.2.3/32' } }]
    const restricted = await render({ ...withSecretsByHand, networkPolicies: { kubernetesApi } })
    expect(outside(restricted)).toEqual(['privateHost:443', 'privateHost:6443'])
  })

  test('a second Hasura on a standby has connections only if networkPolicies.readers selects it', () => {
    const releasePods = /^(proxy|webhooks|oidc|hasura|migrations|postgres|test):/
    const fromReader = (rendered: Rendered[]) =>
      createTargetLister(rendered)('reader').filter((place) => releasePods.test(place))
    const toReader = (rendered: Rendered[]) =>
      ['proxy', 'webhooks', 'oidc', 'hasura', 'migrations', 'test'].flatMap((name) =>
        createTargetLister(rendered)(name).filter((place) => place.startsWith('reader:')),
      )
    expect([fromReader(objects), toReader(objects)]).toEqual([[], []])
    expect(fromReader(everything).sort()).toEqual(['postgres:5432', 'webhooks:3000'])
    expect(createTargetLister(everything)('webhooks')).toContain('reader:8080')
    expect(toReader(everything)).toEqual(['reader:8080'])
  })

  test('with a pooler, Hasura reaches the pooler and not PostgreSQL', () => {
    const from = createTargetLister(everything)
    expect(from('hasura').sort()).toEqual(['dns:53', 'webhooks:3000'])
    const canReach = reachability(everything)
    const place = (labels: Record<string, string>): Place => ({
      labels: { 'app.kubernetes.io/instance': 'demo', ...labels },
    })
    const pooler = place({ 'cnpg.io/poolerName': 'demo-postgres-pooler' })
    const hasura = place({ 'app.kubernetes.io/component': 'hasura' })
    expect(canReach(hasura, pooler, 5432)).toBe(true)
    expect(canReach(pooler, place({ 'cnpg.io/cluster': 'demo-postgres' }), 5432)).toBe(true)
    expect(canReach(pooler, OUTSIDE.internet ?? { address: '' }, 5432)).toBe(false)
  })

  test('without network policies a pod of another namespace reaches Hasura, and the notes warn of this', async () => {
    const from = createTargetLister(await render(small))
    expect(from('stranger')).toContain('hasura:8080')
    expect(readFileSync('ops/kubernetes/templates/NOTES.txt', 'utf8')).toContain(
      'without network policies every pod',
    )
  })

  test('every Ingress and HTTPRoute points only to the proxy, which has the rules of ops/Caddyfile', () => {
    const entrances = everything.filter(({ kind }) => ['Ingress', 'HTTPRoute'].includes(kind))
    const backends = entrances.flatMap(({ spec }) => [
      ...JSON.stringify(spec).matchAll(/"(?:service|backendRefs)":[[{]*"name":"([\w-]+)"/g),
    ])
    expect(backends.map(([, name]) => name)).toEqual(Array.from({ length: 4 }, () => 'demo-proxy'))
    const services = everything.filter(({ kind }) => kind === 'Service')
    expect(services.filter(({ spec }) => Object(spec).type ?? Object(spec).externalIPs)).toEqual([])
    const config = everything.find(
      ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === 'demo-proxy',
    )
    const caddyfile = Object(config).data.Caddyfile.replaceAll(/demo-(\w+)-instances/g, '$1')
    expect(caddyfile).toBe(readFileSync('ops/Caddyfile', 'utf8'))
    const names = services.map(({ metadata }) => metadata.name)
    expect(names).toEqual(
      expect.arrayContaining(['demo-webhooks-instances', 'demo-oidc-instances']),
    )
  })

  test('the host of baseUrl is routed to port 3000, and the host of authUrl to port 3001', () => {
    const routes = everything.filter(({ kind }) => kind === 'HTTPRoute')
    expect(
      routes.map(({ spec }) => [Object(spec).hostnames, Object(spec).rules[0].backendRefs[0].port]),
    ).toEqual([
      [['api.example.com'], 3000],
      [['id.example.com'], 3001],
    ])
  })
})
