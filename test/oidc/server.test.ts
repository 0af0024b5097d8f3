import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { promisify } from 'node:util'
import { expect, onTestFinished } from 'vitest'
import { freePort } from '../../local/process/free-port.ts'
import { test } from '../support/oidc/sign-in-test.ts'
import type { TestSignIn } from '../support/oidc/start-sign-in.ts'
import { START_CACHE } from '../support/start-cache.ts'

let platform: TestSignIn

test.beforeAll(({ signIn: shared }) => {
  platform = shared
})

test('a server exits with code 1 if its port is in use', async () => {
  const port = await freePort()
  const blocker = createServer().listen(port, '127.0.0.1')
  onTestFinished(() => void blocker.close())
  await once(blocker, 'listening')
  const service = promisify(execFile)(process.execPath, [...START_CACHE, 'oidc/server.ts'], {
    env: {
      ...platform.env,
      PATH: process.env.PATH,
      OIDC_HOST: '127.0.0.1',
      OIDC_PORT: String(port),
      METRICS_PORT: String(await freePort()),
    },
    timeout: 60_000,
  })
  await expect(service).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`address already in use 127.0.0.1:${port}`),
  })
})
