import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import type { Rendered } from './helm.ts'

/**
 * Returns the errors for which the Kubernetes API would reject objects. Checks each object against the schema of its kind
 * (types, patterns, required fields). The schemas allow unknown fields, so each object is also checked against the
 * TypeScript type generated from its schema.
 */
export async function apiErrors(objects: readonly Rendered[]): Promise<string[]> {
  const distinctObjects = [...new Map(objects.map((each) => [JSON.stringify(each), each])).values()]
  const schemaResults = await Promise.all(distinctObjects.map(schemaErrors))
  return [...schemaResults.flat(), ...(await typeErrors(distinctObjects))]
}

const CORE = ['ConfigMap', 'Pod', 'Secret', 'Service', 'ServiceAccount']

/** The module with the schema of each kind. */
const MODULES: Record<string, string> = {
  ...Object.fromEntries(CORE.map((kind) => [`v1 ${kind}`, `kubernetes-models/v1/${kind}`])),
  'apps/v1 Deployment': 'kubernetes-models/apps/v1/Deployment',
  'autoscaling/v2 HorizontalPodAutoscaler':
    'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler',
  'batch/v1 Job': 'kubernetes-models/batch/v1/Job',
  'networking.k8s.io/v1 Ingress': 'kubernetes-models/networking.k8s.io/v1/Ingress',
  'networking.k8s.io/v1 NetworkPolicy': 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy',
  'policy/v1 PodDisruptionBudget': 'kubernetes-models/policy/v1/PodDisruptionBudget',
  'gateway.networking.k8s.io/v1 HTTPRoute':
    '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1/HTTPRoute',
  ...Object.fromEntries(
    ['PodMonitor', 'PrometheusRule', 'ServiceMonitor'].map((kind) => [
      `monitoring.coreos.com/v1 ${kind}`,
      `@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/${kind}`,
    ]),
  ),
  ...Object.fromEntries(
    ['Cluster', 'Pooler', 'ScheduledBackup'].map((kind) => [
      `postgresql.cnpg.io/v1 ${kind}`,
      `@kubernetes-models/cloudnative-pg/postgresql.cnpg.io/v1/${kind}`,
    ]),
  ),
}

function moduleOf({ apiVersion, kind }: Rendered): string {
  return requireValue(MODULES[`${apiVersion} ${kind}`], `a schema of ${apiVersion} ${kind}`)
}

const Model = z.custom<new (object: object) => { validate(): void }>(
  (value) => typeof value === 'function',
)

async function schemaErrors(object: Rendered): Promise<string[]> {
  const models: Record<string, unknown> = await import(moduleOf(object))
  try {
    ;new (Model.parse(models[object.kind]))(object).validate()
    return []
  } catch (error) {
    return [`${object.kind} ${object.metadata.name}: ${error}`]
  }
}

/**
 * Returns the compiler's errors for the objects, written as constants of their types. The compiler rejects unknown
 * fields.
 */
async function typeErrors(objects: readonly Rendered[]): Promise<string[]> {
  const folder = mkdtempSync(join('.cache', 'kubernetes-'))
  const lines = objects.map((object, index) => {
    const type = `import('${moduleOf(object)}').I${object.kind}`
    return `export const object${index}: ${type} = ${JSON.stringify(object)}`
  })
  const file = join(folder, 'objects.ts')
  writeFileSync(file, lines.join('\n'))
  const run = promisify(execFile)(process.execPath, [...COMPILER, file]).then(
    () => [],
    ({ stdout }: { stdout: string }) => stdout.trim().split('\n'),
  )
  return run.finally(() => rmSync(folder, { recursive: true }))
}

const COMPILER = [
  'node_modules/typescript/bin/tsc',
  ...['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--checkers', '1'],
  ...['--module', 'nodenext', '--types', ''],
]
