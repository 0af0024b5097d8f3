import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../../local/process/free-port.ts'
import { startServerProcess } from '../../../packages/platform/processes/server-process.ts'
import type { ThrowawayPlatform } from '../../../packages/platform/testing/throwaway.ts'

/** Starts the bare routes on the platform's database, with the platform's keys. */
export async function startBareServer({ baseUrl, databaseUrl }: ThrowawayPlatform['facts']) {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'bench-'))
  const url = `http://127.0.0.1:${port}`
  const keys = await fetch(`${baseUrl}/api/v1/jwks`)
  const part = await startServerProcess({
    name: 'The bare routes',
    entry: 'trials/bench/contenders/bare-routes.ts',
    env: {
      NODE_ENV: 'production',
      DATABASE_URL: databaseUrl,
      PORT: String(port),
      KEYS: await keys.text(),
    },
    logFile: join(folder, 'log'),
    healthUrl: `${url}/healthz`,
    onEnd: (error) => {
      throw error
    },
  })
  return {
    url,
    async stop() {
      await part.stop()
      rmSync(folder, { recursive: true })
    },
  }
}
