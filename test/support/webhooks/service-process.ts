import { spawn } from 'node:child_process'
import { vi } from 'vitest'
import { freePort } from '../../../local/process/free-port.ts'
import { START_CACHE } from '../start-cache.ts'
import type { TestPlatform } from './start-platform.ts'

/** Starts an instance of the developer API in another process, which a test can kill. */
export async function serviceProcess({ env }: TestPlatform) {
  const port = await freePort()
  const child = spawn(process.execPath, [...START_CACHE, 'webhooks/server.ts'], {
    env: {
      PATH: process.env.PATH,
      ...env,
      WEBHOOKS_HOST: '127.0.0.1',
      WEBHOOKS_PORT: String(port),
      LOG_LEVEL: 'silent',
    },
    stdio: 'ignore',
  })
  const baseUrl = `http://127.0.0.1:${port}`
  await vi.waitFor(() => fetch(`${baseUrl}/healthz`), { timeout: 30_000, interval: 100 })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  return {
    baseUrl,
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
