import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { compose } from '../../support/compose.ts'
import { noHelm, type Rendered, render } from '../../support/kubernetes/helm.ts'
import { podsOf } from '../../support/kubernetes/pods.ts'
import { type Place, reachability } from '../../support/kubernetes/reachability.ts'
import { small, withEverything, withSecretsByHand } from '../../support/kubernetes/values.ts'

const ofCluster = { 'cnpg.io/cluster': 'demo-postgres', 'app.kubernetes.io/instance': 'demo' }

/** Pods of other namespaces, and hosts outside. */
const AROUND: Record<string, Place> = {
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

describe.skipIf(noHelm)('the network of the chart', () => {
  let objects: Rendered[]
  let everything: Rendered[]
  beforeAll(async () => {
    objects = await render(withSecretsByHand)
    everything = await render(withEverything)
  })

  /** What is reached from each place, as `place:port`. */
  function reached(rendered: Rendered[]) {
    const own = Object.fromEntries(
      podsOf(rendered).map(({ labels }) => [labels['app.kubernetes.io/component'], { labels }]),
    )
    const places: Record<string, Place> = { ...AROUND, ...own, postgres: { labels: ofCluster } }
    const isReached = reachability(rendered)
    return (name: string) =>
      Object.entries(places).flatMap(([other, to]) => {
        const from = places[name]
        const ports = other === name && other !== 'postgres' ? [] : PORTS
        return ports.filter((port) => from && isReached(from, to, port)).map((p) => `${other}:${p}`)
      })
  }

  test('each part reaches what it needs, and nothing else', () => {
    const from = reached(objects)
    const parts = ['proxy', 'webhooks', 'oidc', 'hasura', 'migrations', 'postgres', 'test']
    expect(Object.fromEntries(parts.map((name) => [name, from(name).sort()]))).toEqual({
      proxy: ['dns:53', 'oidc:3001', 'webhooks:3000'],
      webhooks: ['dns:53', 'hasura:8080', 'internet:443', 'internet:587'],
      oidc: ['dns:53', 'hasura:8080', 'internet:443', 'postgres:5432'],
      hasura: ['dns:53', 'postgres:5432', 'webhooks:3000'],
      migrations: ['dns:53', 'postgres:5432'],
      // The API of Kubernetes may be anywhere; pods of this release let nobody in at its ports.
      postgres: expect.arrayContaining(['dns:53', 'postgres:5432', 'postgres:8000']),
      test: ['dns:53', 'proxy:3000', 'proxy:3001'],
    })
    const ofPostgres = from('postgres').filter((place) => !/:(443|6443)$/.test(place))
    expect(ofPostgres.sort()).toEqual(['dns:53', 'postgres:5432', 'postgres:8000'])
  })

  test('from outside nobody reaches more than the two ports of the proxy, and Prometheus the metrics', () => {
    const from = reached(objects)
    const ours = /^(proxy|webhooks|oidc|hasura|migrations|postgres|test):/
    const places = ['ingress', 'prometheus', 'operator', 'stranger', 'neighbour', 'internet']
    const found = places.map((name) => [
      name,
      from(name)
        .filter((place) => ours.test(place))
        .sort(),
    ])
    expect(Object.fromEntries(found)).toEqual({
      ingress: ['proxy:3000', 'proxy:3001'],
      prometheus: ['oidc:9465', 'postgres:9187', 'webhooks:9464'],
      operator: ['postgres:5432', 'postgres:8000'],
      stranger: [],
      neighbour: [],
      internet: [],
    })
  })

  test('nobody reaches another part whom docker-compose.yml keeps on another network', () => {
    const from = reached(objects)
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

  test('PostgreSQL reaches any address at the ports of the API of Kubernetes, until its own is named', async () => {
    const outside = (rendered: Rendered[]) =>
      reached(rendered)('postgres').filter((place) => /^(internet|cloud|private)/.test(place))
    const ofAny = ['internet', 'cloudMetadata', 'privateHost'].flatMap((name) => [
      `${name}:443`,
      `${name}:6443`,
    ])
    expect(outside(objects)).toEqual(ofAny)
    const kubernetesApi = [{ ipBlock: { cidr: '10.1.2.3/32' } }]
    const named = await render({ ...withSecretsByHand, networkPolicies: { kubernetesApi } })
    expect(outside(named)).toEqual(['privateHost:443', 'privateHost:6443'])
  })

  test('a second Hasura that reads from a standby is reached, and reaches what it needs, once it is named', () => {
    const ours = /^(proxy|webhooks|oidc|hasura|migrations|postgres|test):/
    const ofReader = (rendered: Rendered[]) =>
      reached(rendered)('reader').filter((place) => ours.test(place))
    const toReader = (rendered: Rendered[]) =>
      ['proxy', 'webhooks', 'oidc', 'hasura', 'migrations', 'test'].flatMap((name) =>
        reached(rendered)(name).filter((place) => place.startsWith('reader:')),
      )
    expect([ofReader(objects), toReader(objects)]).toEqual([[], []])
    expect(ofReader(everything).sort()).toEqual(['postgres:5432', 'webhooks:3000'])
    expect(reached(everything)('webhooks')).toContain('reader:8080')
    expect(toReader(everything)).toEqual(['reader:8080'])
  })

  test('through a pooler, Hasura does not reach PostgreSQL itself', () => {
    const from = reached(everything)
    expect(from('hasura').sort()).toEqual(['dns:53', 'webhooks:3000'])
    const isReached = reachability(everything)
    const place = (labels: Record<string, string>): Place => ({
      labels: { 'app.kubernetes.io/instance': 'demo', ...labels },
    })
    const pooler = place({ 'cnpg.io/poolerName': 'demo-postgres-pooler' })
    const hasura = place({ 'app.kubernetes.io/component': 'hasura' })
    expect(isReached(hasura, pooler, 5432)).toBe(true)
    expect(isReached(pooler, place({ 'cnpg.io/cluster': 'demo-postgres' }), 5432)).toBe(true)
    expect(isReached(pooler, AROUND.internet ?? { address: '' }, 5432)).toBe(false)
  })

  test('without network policies everybody reaches everybody, which the notes say', async () => {
    const from = reached(await render(small))
    expect(from('stranger')).toContain('hasura:8080')
    expect(readFileSync('ops/kubernetes/templates/NOTES.txt', 'utf8')).toContain(
      'without network policies every pod',
    )
  })

  test('whatever leads in from outside leads to the proxy, which has the rules of ops/Caddyfile', () => {
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
    const here = Object(config).data.Caddyfile.replaceAll(/demo-(\w+)-instances/g, '$1')
    expect(here).toBe(readFileSync('ops/Caddyfile', 'utf8'))
    const names = services.map(({ metadata }) => metadata.name)
    expect(names).toEqual(
      expect.arrayContaining(['demo-webhooks-instances', 'demo-oidc-instances']),
    )
  })

  test('hosts of the two addresses lead to the two ports', () => {
    const routes = everything.filter(({ kind }) => kind === 'HTTPRoute')
    expect(
      routes.map(({ spec }) => [Object(spec).hostnames, Object(spec).rules[0].backendRefs[0].port]),
    ).toEqual([
      [['api.example.com'], 3000],
      [['id.example.com'], 3001],
    ])
  })
})
