import { z } from 'zod'
import type { Rendered } from './helm.ts'

const Variable = z.object({
  name: z.string(),
  value: z.string().optional(),
  valueFrom: z
    .object({
      secretKeyRef: z.object({
        name: z.string(),
        key: z.string(),
        optional: z.boolean().default(false),
      }),
    })
    .optional(),
})

const Probe = z.looseObject({
  httpGet: z.object({ path: z.string(), port: z.string() }),
  periodSeconds: z.number(),
  failureThreshold: z.number().default(3),
})

const Container = z.looseObject({
  name: z.string(),
  image: z.string(),
  command: z.array(z.string()).default([]),
  args: z.array(z.string()).default([]),
  env: z.array(Variable).default([]),
  ports: z.array(z.object({ name: z.string(), containerPort: z.number() })).default([]),
  securityContext: z.looseObject({}),
  startupProbe: Probe.optional(),
  readinessProbe: Probe.optional(),
  livenessProbe: Probe.optional(),
  lifecycle: z
    .object({ preStop: z.object({ sleep: z.object({ seconds: z.number() }) }) })
    .optional(),
  resources: z.object({
    requests: z.record(z.string(), z.string()),
    limits: z.record(z.string(), z.string()),
  }),
  volumeMounts: z.array(z.looseObject({ name: z.string(), mountPath: z.string() })).default([]),
})

const Volume = z.looseObject({
  name: z.string(),
  secret: z
    .object({ secretName: z.string(), items: z.array(z.object({ key: z.string() })) })
    .optional(),
  configMap: z.object({ name: z.string() }).optional(),
  emptyDir: z.looseObject({ sizeLimit: z.string() }).optional(),
})

const PodSpec = z.looseObject({
  serviceAccountName: z.string(),
  automountServiceAccountToken: z.boolean(),
  enableServiceLinks: z.boolean(),
  terminationGracePeriodSeconds: z.number().default(30),
  securityContext: z.looseObject({}),
  containers: z.array(Container),
  volumes: z.array(Volume).default([]),
})

export type Container = z.infer<typeof Container>
export type Pod = {
  kind: string
  name: string
  labels: Record<string, string>
  spec: z.infer<typeof PodSpec>
}

const Owner = z.looseObject({
  template: z.looseObject({
    metadata: z.looseObject({ labels: z.record(z.string(), z.string()) }),
    spec: PodSpec,
  }),
})

/** Returns the pods of the chart's objects, without the pods that CloudNativePG creates. */
export function podsOf(objects: readonly Rendered[]): Pod[] {
  return objects.flatMap(({ kind, metadata, spec }) => {
    const { name, labels } = metadata
    if (kind === 'Pod') return [{ kind, name, labels, spec: PodSpec.parse(spec) }]
    if (!['Deployment', 'Job'].includes(kind)) return []
    const { template } = Owner.parse(spec)
    return [{ kind, name, labels: template.metadata.labels, spec: template.spec }]
  })
}

/**
 * Returns the environment of a container as Kubernetes computes it: with values of Secrets, and with earlier
 * variables for `$(NAME)`.
 *
 * @throws when a required Secret or key is missing
 */
export function environmentIn(
  container: Container,
  secrets: ReadonlyMap<string, Record<string, string>>,
): Record<string, string> {
  const environment: Record<string, string> = {}
  for (const { name, value, valueFrom } of container.env) {
    const { secretKeyRef } = valueFrom ?? {}
    const resolvedValue = secretKeyRef
      ? secrets.get(secretKeyRef.name)?.[secretKeyRef.key]
      : value?.replaceAll(/\$\((\w+)\)/g, (whole, other) => environment[other] ?? whole)
    if (resolvedValue !== undefined) environment[name] = resolvedValue
    else if (!secretKeyRef?.optional)
      throw new Error(`The container ${container.name} has no value for the variable ${name}`)
  }
  return environment
}

const Secret = z.looseObject({ stringData: z.record(z.string(), z.string()) })

/** Returns the Secrets of a release by name. */
export function secretsIn(objects: readonly Rendered[]): Map<string, Record<string, string>> {
  const secrets = objects.filter(({ kind }) => kind === 'Secret')
  return new Map(secrets.map((each) => [each.metadata.name, Secret.parse(each).stringData]))
}
