import { beforeAll, describe, expect, test } from 'vitest'
import { noHelm, type Rendered, render } from '../../support/kubernetes/helm.ts'
import { podsOf } from '../../support/kubernetes/pods.ts'
import { small, withEverything, withSecretsByHand } from '../../support/kubernetes/values.ts'

/** What CloudNativePG makes for a cluster and a pooler of these names. */
const MADE_BY_OPERATOR = {
  secrets: ['demo-postgres-ca'],
  services: ['demo-postgres-rw:5432', 'demo-postgres-pooler:5432'],
}

const VARIANTS = [
  ['only what must be given', withSecretsByHand],
  ['everything', withEverything],
  ['as little as possible', small],
] as const

describe.skipIf(noHelm).each(VARIANTS)('with %s, in the chart', (_title, values) => {
  let objects: Rendered[]
  const named = (kind: string) =>
    objects.filter((object) => object.kind === kind).map(({ metadata }) => metadata.name)
  const ofKind = (kind: string) => objects.filter((object) => object.kind === kind)
  const services = () =>
    ofKind('Service').map(({ metadata, spec }) => ({ name: metadata.name, ...Object(spec) }))

  beforeAll(async () => {
    objects = await render(values)
  })

  test('every Secret, ConfigMap and ServiceAccount that is named is there', () => {
    const text = JSON.stringify(objects)
    const existing = 'existing' in values.secrets ? Object.values(values.secrets.existing) : []
    const secrets = [...named('Secret'), ...existing, ...MADE_BY_OPERATOR.secrets]
    const keys =
      /"(?:secretKeyRef|passwordSecret|secret)":\{"name":"([^"]+)"|"secretName":"(demo-postgres[^"]+)"/g
    const wanted = [...text.matchAll(keys)].map(([, one, other]) => one ?? other)
    expect(wanted.length).toBeGreaterThan(10)
    expect(wanted.filter((name) => !secrets.includes(String(name)))).toEqual([])
    const configMaps = [...text.matchAll(/"(?:configMap":|configMapRefs":\[)\{"name":"([^"]+)"/g)]
    expect(configMaps.length).toBeGreaterThan(0)
    expect(named('ConfigMap')).toEqual(expect.arrayContaining(configMaps.map(([, name]) => name)))
    for (const { spec } of podsOf(objects))
      expect(named('ServiceAccount')).toContain(spec.serviceAccountName)
  })

  test('every Service has pods, with the port that it names', () => {
    for (const { name, selector, ports } of services()) {
      const pods = podsOf(objects).filter(({ labels }) =>
        Object.entries(selector).every(([label, value]) => labels[label] === value),
      )
      expect([name, pods.length]).toEqual([name, 1])
      const offered = pods.flatMap(({ spec }) => spec.containers.flatMap((each) => each.ports))
      for (const { targetPort, port } of ports)
        expect(offered).toContainEqual({ name: targetPort, containerPort: port })
    }
  })

  test('every address inside names a Service and its port', () => {
    const there = services().flatMap(({ name, ports }) =>
      ports.map(({ port }: { port: number }) => `${name}:${port}`),
    )
    const addresses = podsOf(objects)
      .flatMap(({ spec }) =>
        spec.containers.flatMap(({ env, args }) => [
          ...env.map(({ value = '' }) => value),
          ...args,
        ]),
      )
      .flatMap((value) =>
        [...value.matchAll(/[/@](demo-[\w-]+:\d+)/g)].map(([, address]) => address),
      )
    expect(addresses.length).toBeGreaterThan(5)
    const all = [...there, ...MADE_BY_OPERATOR.services]
    expect(addresses.filter((address) => !all.includes(String(address)))).toEqual([])
  })

  test('a Deployment selects its own pods, and has no number of instances where it is scaled', () => {
    const scaled = ofKind('HorizontalPodAutoscaler').map(
      ({ spec }) => Object(spec).scaleTargetRef.name,
    )
    expect(named('Deployment')).toEqual(expect.arrayContaining(scaled))
    for (const { metadata, spec } of ofKind('Deployment')) {
      const { selector, template, replicas } = Object(spec)
      expect(template.metadata.labels).toEqual(selector.matchLabels)
      expect([metadata.name, replicas === undefined]).toEqual([
        metadata.name,
        scaled.includes(metadata.name),
      ])
    }
  })

  test('every mount has its volume, and every volume a mount', () => {
    for (const { name, spec } of podsOf(objects)) {
      const mounts = spec.containers.flatMap(({ volumeMounts }) =>
        volumeMounts.map((each) => each.name),
      )
      expect([name, new Set(mounts)]).toEqual([
        name,
        new Set(spec.volumes.map((each) => each.name)),
      ])
    }
  })

  test('what Prometheus is to read is there', () => {
    for (const { spec } of ofKind('ServiceMonitor')) {
      const { matchLabels } = Object(spec).selector
      const found = ofKind('Service').filter(({ metadata }) =>
        Object.entries(matchLabels).every(([label, value]) => metadata.labels[label] === value),
      )
      expect(
        found.map((each) => Object(each.spec).ports.map((port: { name: string }) => port.name)),
      ).toEqual([['http', 'metrics']])
    }
  })

  test('names and labels are of the release, and short enough', () => {
    for (const { kind, metadata } of objects) {
      expect([kind, metadata.name]).toEqual([kind, expect.stringMatching(/^demo(-[a-z0-9-]+)?$/)])
      expect(metadata.labels['app.kubernetes.io/instance']).toBe('demo')
      for (const value of Object.values(metadata.labels)) expect(value).toMatch(/^[\w.-]{1,63}$/)
    }
    const ids = objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`)
    expect(new Set(ids).size).toBe(ids.length)
  })
})
