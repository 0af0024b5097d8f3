import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { freePort } from '../free-port.ts'
import { smtpServer, tokenIn } from './smtp-server.ts'
import {
  ADMIN_SECRET,
  INTERNAL_SECRET,
  LOGIN_TOKEN_SECRET,
  post,
  startTestPlatform,
  type TestPlatform,
} from './start-platform.ts'

let platform: TestPlatform
let smtp: ReturnType<typeof smtpServer>
let service: ChildProcess
let url: string
let log = ''

beforeAll(async () => {
  platform = await startTestPlatform({ VERIFIER_THREADS: '1' })
  const port = await freePort()
  smtp = smtpServer(await freePort())
  await smtp.start()
  url = `http://127.0.0.1:${port}`
  service = spawn(process.execPath, ['webhooks/server.ts'], {
    env: {
      ...platform.env,
      PATH: process.env.PATH,
      WEBHOOKS_HOST: '127.0.0.1',
      WEBHOOKS_PORT: String(port),
      BASE_URL: url,
      LOG_LEVEL: 'debug',
      SMTP_URL: smtp.url,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of [service.stdout, service.stderr])
    stream?.on('data', (chunk) => {
      log += chunk
    })
  await vi.waitFor(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200), 15_000)
})
afterAll(async () => {
  const exit = once(service, 'exit')
  service.kill('SIGTERM')
  await exit
  await smtp.stop()
  await platform.stop()
})

test('no secret is in any line of the log, at any level, whatever goes wrong', async () => {
  const email = 'ada.lovelace@example.com'
  const password = 'a-password-to-look-for'
  const asHasura = { authorization: `Bearer ${INTERNAL_SECRET}` }
  const account = { email, password, name: 'Ada', team_name: 'Engine' }
  const loginToken = String(Object((await post(`${url}/api/v1/signup`, account)).body).token)
  const authorization = `Bearer ${loginToken}`
  await post(`${url}/api/v1/signup`, account)
  await post(`${url}/api/v1/login`, account)
  await post(`${url}/api/v1/login`, { email, password: `${password}-wrong` })
  await post(`${url}/api/v1/login`, `{"email":"${email}","password":"${password}"`)
  await post(`${url}/hasura/auth`, { headers: { authorization } })
  await post(`${url}/hasura/auth`, { headers: { authorization: `${authorization}x` } })
  smtp.state.manner = 'refuses'
  await post(`${url}/api/_mail`, {}, asHasura)
  smtp.state.manner = 'takes'
  await platform.db.query('update mail set due_at = now()')
  await post(`${url}/api/_mail`, {}, asHasura)
  await post(`${url}/api/_mail`, {}, { authorization: `${asHasura.authorization}x` })
  const mailToken = smtp.received[0] ? tokenIn(smtp.received[0]) : ''
  await fetch(`${url}/api/v1/verify-email?token=${mailToken}`)
  await fetch(`${url}/api/v1/verify-email`, {
    method: 'POST',
    body: new URLSearchParams({ token: mailToken }),
  })
  await platform.engine.stop()
  await post(`${url}/api/v1/login`, account)
  await post(`${url}/api/v1/signup`, account)
  await post(`${url}/api/v1/resend-verification`, { email })

  const secrets = { password, loginToken, mailToken, email, ADMIN_SECRET, INTERNAL_SECRET }
  await vi.waitFor(() => expect(log.split('"answered"').length).toBeGreaterThan(14), 5_000)
  expect(log).toContain('mail not sent')
  expect(log).toContain('"failed"')
  for (const [name, secret] of Object.entries({ ...secrets, LOGIN_TOKEN_SECRET })) {
    expect(secret, name).not.toBe('')
    expect(log.includes(secret), `the log has ${name}`).toBe(false)
  }
})
