import { join } from 'node:path'
import { freePort } from '../../../local/process/free-port.ts'
import {
  findProcessId,
  processEnvironment,
} from '../../../packages/platform/processes/child-processes.ts'
import {
  type ServerProcess,
  startServerProcess,
} from '../../../packages/platform/processes/server-process.ts'
import type { ThrowawayPlatform } from '../../../packages/platform/testing/throwaway.ts'

export type DeveloperApiInstance = ServerProcess & { url: string }

const ENTRY = 'webhooks/server.ts'

/**
 * Starts another process of the platform's developer API, with this many verifying threads.
 *
 * @param nodeOptions such as `--no-enable-fma3`, which makes the threads use mcl-wasm
 */
export async function startInstance(
  { folder }: ThrowawayPlatform,
  threads: number,
  nodeOptions: readonly string[] = [],
): Promise<DeveloperApiInstance> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const part = await startServerProcess({
    name: 'another process of the developer API',
    entry: ENTRY,
    nodeOptions,
    env: {
      ...processEnvironment(findProcessId(ENTRY)),
      WEBHOOKS_PORT: String(port),
      METRICS_PORT: String(await freePort()),
      VERIFIER_THREADS: String(threads),
    },
    logFile: join(folder, 'logs', `webhooks-${port}.log`),
    healthUrl: `${url}/readyz`,
    onEnd: (error) => {
      throw error
    },
  })
  return { ...part, url }
}
