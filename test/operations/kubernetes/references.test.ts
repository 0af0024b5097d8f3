import { beforeAll, describe, expect, test } from 'vitest'
import { noHelm, type Rendered, render } from '../../support/kubernetes/helm.ts'
import { podsOf } from '../../support/kubernetes/pods.ts'
import { small, withEverything, withSecretsByHand } from '../../support/kubernetes/values.ts'

/** The objects that CloudNativePG creates for the cluster and the pooler. */
const OPERATOR_OBJECTS = {
  secrets: ['demo-postgres-ca'],
  services: ['demo-postgres-rw:5432', 'demo-postgres-pooler:5432'],
}

const VARIANTS = [
  ['the required values', withSecretsByHand],
  ['every part enabled', withEverything],
  ['one instance of each part', small],
] as const

describe.skipIf(noHelm).each(VARIANTS)(
  'the objects of the chart with %s refer to existing objects',
  (_title, values) => {
    let objects: Rendered[]
    const namesOf = (kind: string) =>
      objects.filter((object) => object.kind === kind).map(({ metadata }) => metadata.name)
    const ofKind = (kind: string) => objects.filter((object) => object.kind === kind)
    const services = () =>
      ofKind('Service').map(({ metadata, spec }) => ({ name: metadata.name, ...Object(spec) }))

    beforeAll(async () => {
      objects = await render(values)
    })

    test('every Secret, ConfigMap and ServiceAccount that an object names exists', () => {
      const text = JSON.stringify(objects)
      const existing = 'existing' in values.secrets ? Object.values(values.secrets.existing) : []
      const secrets = [...namesOf('Secret'), ...existing, ...OPERATOR_OBJECTS.secrets]
      const keys =
        /"(?:secretKeyRef|passwordSecret|secret)":\{"name":"([^"]+)"|"secretName":"(demo-postgres[^"]+)"/g
      const references = [...text.matchAll(keys)].map(
        ([, byName, bySecretName]) => byName ?? bySecretName,
      )
      expect(references.length).toBeGreaterThan(10)
      expect(references.filter((name) => !secrets.includes(String(name)))).toEqual([])
      const configMaps = [...text.matchAll(/"(?:configMap":|configMapRefs":\[)\{"name":"([^"]+)"/g)]
      expect(configMaps.length).toBeGreaterThan(0)
      expect(namesOf('ConfigMap')).toEqual(
        expect.arrayContaining(configMaps.map(([, name]) => name)),
      )
      for (const { spec } of podsOf(objects))
        expect(namesOf('ServiceAccount')).toContain(spec.serviceAccountName)
    })

    test('every Service selects pods that have its ports', () => {
      for (const { name, selector, ports } of services()) {
        const pods = podsOf(objects).filter(({ labels }) =>
          Object.entries(selector).every(([label, value]) => labels[label] === value),
        )
        expect([name, pods.length]).toEqual([name, 1])
        const podPorts = pods.flatMap(({ spec }) => spec.containers.flatMap((each) => each.ports))
        for (const { targetPort, port } of ports)
          expect(podPorts).toContainEqual({ name: targetPort, containerPort: port })
      }
    })

    test('every address of the release in variables and arguments is the address of a Service', () => {
      const chartServices = services().flatMap(({ name, ports }) =>
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
      const serviceAddresses = [...chartServices, ...OPERATOR_OBJECTS.services]
      expect(addresses.filter((address) => !serviceAddresses.includes(String(address)))).toEqual([])
    })

    test('a Deployment selects its pods, and has no number of replicas if an autoscaler sets it', () => {
      const scaledNames = ofKind('HorizontalPodAutoscaler').map(
        ({ spec }) => Object(spec).scaleTargetRef.name,
      )
      expect(namesOf('Deployment')).toEqual(expect.arrayContaining(scaledNames))
      for (const { metadata, spec } of ofKind('Deployment')) {
        const { selector, template, replicas } = Object(spec)
        expect(template.metadata.labels).toEqual(selector.matchLabels)
        expect([metadata.name, replicas === undefined]).toEqual([
          metadata.name,
          scaledNames.includes(metadata.name),
        ])
      }
    })

    test('every mount has a volume, and every volume has a mount', () => {
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

    test('every ServiceMonitor selects one Service with a port for metrics', () => {
      for (const { spec } of ofKind('ServiceMonitor')) {
        const { matchLabels } = Object(spec).selector
        const monitored = ofKind('Service').filter(({ metadata }) =>
          Object.entries(matchLabels).every(([label, value]) => metadata.labels[label] === value),
        )
        expect(
          monitored.map((each) =>
            Object(each.spec).ports.map((port: { name: string }) => port.name),
          ),
        ).toEqual([['http', 'metrics']])
      }
    })

    test('names begin with the release, are unique, and labels have at most 63 characters', () => {
      for (const { kind, metadata } of objects) {
        expect([kind, metadata.name]).toEqual([kind, expect.stringMatching(/^demo(-[a-z0-9-]+)?$/)])
        expect(metadata.labels['app.kubernetes.io/instance']).toBe('demo')
        for (const value of Object.values(metadata.labels)) expect(value).toMatch(/^[\w.-]{1,63}$/)
      }
      const ids = objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`)
      expect(new Set(ids).size).toBe(ids.length)
    })
  },
)
