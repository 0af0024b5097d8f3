import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { publishRoot } from '../../local/chain/publish-root.ts'
import { freePort } from '../../local/process/free-port.ts'
import { type RunningEngine, startEngine } from '../../packages/engine/test/support/start-engine.ts'
import { START_CACHE } from '../support/start-cache.ts'
import { forgeRequest } from '../support/webhooks/forge-request.ts'
import {
  ADMIN_SECRET,
  INTERNAL_SECRET,
  LOGIN_TOKEN_SECRET,
  PEPPER,
  SIGNING_KEY_SECRET,
} from '../support/webhooks/platform-environment.ts'
import { smtpServer, tokenIn } from '../support/webhooks/smtp-server.ts'
import { type PlatformOn, post, startPlatformOn } from '../support/webhooks/start-platform.ts'

let platform: PlatformOn<RunningEngine>
let smtp: ReturnType<typeof smtpServer>
let service: ChildProcess
let url: string
let log = ''

beforeAll(async () => {
  platform = await startPlatformOn(startEngine, {}, () => ({
    HASURA_GRAPHQL_LOG_LEVEL: 'debug',
  }))
  const port = await freePort()
  smtp = smtpServer(await freePort())
  await smtp.start()
  url = `http://127.0.0.1:${port}`
  service = spawn(process.execPath, [...START_CACHE, 'webhooks/server.ts'], {
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
  await vi.waitFor(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200), 60_000)
})
afterAll(async () => {
  const exit = once(service, 'exit')
  service.kill('SIGTERM')
  await exit
  await smtp.stop()
  await platform.stop()
})

test('no line of the logs contains a secret, even at the level debug and after failures', async () => {
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
    body: new URLSearchParams({ token: mailToken, password }),
  })
  const signing = await verifyAsHosted()
  const { apiKey } = await platform.team()
  const query = { query: 'query ($key: String) { app(where: {name: {_eq: $key}}) { id } }' }
  const asTeam = { authorization: `Bearer ${apiKey}` }
  await post(`${url}/v1/graphql`, { ...query, variables: { key: apiKey } }, asTeam)
  await post(`${url}/v1/graphql`, { query: '{ nothing }' }, asTeam)
  await post(`${url}/v1/graphql`, query, { authorization: `Bearer ${apiKey}x` })
  await post(`${platform.engine.url}/v1/graphql`, query, { 'x-hasura-admin-secret': ADMIN_SECRET })
  await post(`${platform.engine.url}/v1/graphql`, query, {
    'x-hasura-admin-secret': `${ADMIN_SECRET}x`,
  })
  await platform.engine.stop()
  await post(`${url}/api/v1/login`, account)
  await post(`${url}/api/v1/signup`, account)
  await post(`${url}/api/v1/resend-verification`, { email })

  const databasePassword = `:${new URL(platform.db.url).password}@`
  const platformSecrets = {
    ADMIN_SECRET,
    INTERNAL_SECRET,
    LOGIN_TOKEN_SECRET,
    SIGNING_KEY_SECRET,
    PEPPER,
  }
  const userSecrets = { password, loginToken, mailToken, email, apiKey, databasePassword }
  const secrets = { ...userSecrets, ...signing, ...platformSecrets }
  // The service writes a line a moment after the event.
  await vi.waitFor(() => {
    expect(log.split('"answered"').length).toBeGreaterThan(14)
    expect(log).toContain('mail not sent')
    expect(log).toContain('"failed"')
    expect(platform.engine.output()).toContain('request refused')
  }, 30_000)
  for (const [name, secret] of Object.entries(secrets)) {
    expect(secret, name).not.toBe('')
    expect(log.includes(secret), `the log has ${name}`).toBe(false)
    expect(platform.engine.output().includes(secret), `the engine's log has ${name}`).toBe(false)
  }
})

/** Verifies a person as a hosted page does. Returns the sealed signing key, the verification token and the proof. */
async function verifyAsHosted() {
  const root = 4711n
  await publishRoot({ rpcUrl: platform.anvil.rpcUrl, group: 'staging', root })
  await post(`${url}/api/_jwk-gen`, {}, { authorization: `Bearer ${INTERNAL_SECRET}` })
  const app = await platform.app({ team: await platform.team() })
  const id = await platform.action(app, { action: 'page', return_url: 'https://example.com' })
  const proof = await forgeRequest({ app, action: 'page', root, nullifier: 1n })
  const reply = await post(`${url}/api/v1/verify`, { ...proof, action_id: id, signal: '' })
  const { searchParams } = new URL(Object(reply.body).return_url)
  const { rows } = await platform.db.query('select private_jwk_encrypted as sealed from jwks')
  const verificationToken = searchParams.get('verification_jwt') ?? ''
  return { verificationToken, sealed: rows[0].sealed, proof: proof.proof }
}
