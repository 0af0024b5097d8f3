import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { publishRoot } from '../../chain/publish-root.ts'
import { hashToken, makeToken } from '../../lib/secret.ts'
import { freePort } from '../../platform/free-ports.ts'
import { externalNullifier, formatField } from '../../proof/encoding.ts'
import { startBrowser } from '../browser.ts'
import { database } from '../database.ts'
import { startEngine } from '../engine/start-engine.ts'
import { document, documented, judge } from './contract.ts'
import { forgeRequest } from './forge-request.ts'
import { insert, paymentOf } from './payments/payments.ts'
import { smtpServer, tokenIn } from './smtp-server.ts'
import { INTERNAL_SECRET, startTestPlatform, type TestPlatform } from './start-platform.ts'

const ROOT = 4711n
const OLD_ROOT = 4710n
const SECONDS_IN_EIGHT_DAYS = 691_200

type Call = {
  body?: string | object
  query?: string
  headers?: Record<string, string>
  url?: string
}
type Instance = { baseUrl: string; stop(): Promise<void> }

let platform: TestPlatform
let strict: Instance
let sunset: Instance
/** Whose Hasura is away. */
let lonely: Instance
/** Whose Hasura has none of our tables. */
let lost: Instance
let smtp: ReturnType<typeof smtpServer>
let emptyDatabase: Awaited<ReturnType<typeof database>>
let emptyEngine: Awaited<ReturnType<typeof startEngine>>

let apiKey: string
let app: string
let chainApp: string
let vote: string
let idle: string
let onChain: string
let transaction: string
let mailToken: string
let userId: string
let people = 0n
const inviteToken = makeToken()

beforeAll(async () => {
  smtp = smtpServer(await freePort())
  await smtp.start()
  platform = await startTestPlatform({ VERIFIER_THREADS: '1', SMTP_URL: smtp.url })
  emptyDatabase = await database()
  emptyEngine = await startEngine(emptyDatabase.url, {
    HASURA_GRAPHQL_METADATA_DIR: 'bench/metadata',
    HASURA_GRAPHQL_ADMIN_SECRET: platform.env.HASURA_GRAPHQL_ADMIN_SECRET ?? '',
  })
  const limits = Object.keys(platform.env).filter((name) => name.startsWith('RATE_LIMIT_'))
  strict = await platform.anotherInstance(
    Object.fromEntries(limits.map((name) => [name, '1/3600'])),
  )
  sunset = await platform.anotherInstance({ VERIFY_V1_SUNSET: '2024-06-30T23:59:59Z' })
  const chains = { local: { rpc_url: platform.anvil.rpcUrl, chain_id: 31_337 } }
  const PAYMENT_CHAINS = JSON.stringify(chains)
  lonely = await platform.anotherInstance({
    HASURA_GRAPHQL_ENDPOINT: `http://127.0.0.1:${await freePort()}`,
    PAYMENT_CHAINS,
  })
  lost = await platform.anotherInstance({
    HASURA_GRAPHQL_ENDPOINT: emptyEngine.url,
    PAYMENT_CHAINS,
  })
  await makeRows()
})
afterAll(async () => {
  for (const part of [lost, lonely, sunset, strict, emptyEngine, platform, smtp]) await part.stop()
  await emptyDatabase.drop()
})

async function makeRows() {
  await platform.db.query(
    "insert into price (crypto, fiat, amount, source, observed_at) values ('WLD', 'USD', '930000', 'test', now())",
  )
  const team = await platform.team()
  apiKey = team.apiKey
  app = await platform.app({ team })
  vote = await platform.action(app, { action: 'vote' })
  idle = await platform.action(app, { action: 'idle', status: 'inactive' })
  chainApp = await platform.app({ team, engine: 'on-chain' })
  onChain = await platform.action(chainApp, { action: 'vote' })
  transaction = await insert(platform, apiKey, paymentOf(app))
  const { rpcUrl } = platform.anvil
  await publishRoot({ rpcUrl, group: 'staging', root: OLD_ROOT })
  await publishRoot({ rpcUrl, group: 'staging', root: ROOT })
  await platform.post('/api/v1/signup', account('ada@example.com'))
  await platform.post('/api/_mail', {}, asHasura)
  mailToken = smtp.received[0] ? tokenIn(smtp.received[0]) : ''
  const { rows } = await platform.db.query('select id from "user"')
  userId = rows[0].id
  await platform.db.query(
    `with made as (
      insert into invite (team_id, email) values ($1, 'ada@example.com') returning id
    )
    insert into invite_token (token_hash, invite_id) select $2, id from made`,
    [team.id, hashToken(inviteToken)],
  )
}

const asHasura = { authorization: `Bearer ${INTERNAL_SECRET}` }
const asTeam = () => ({ authorization: `Bearer ${apiKey}` })

function account(email = `${randomUUID()}@example.com`) {
  return { email, password: 'difference', name: 'Ada', team_name: 'Engine' }
}

/** A person who has done nothing yet. */
function person(root = ROOT, action = 'vote') {
  people += 1n
  return forgeRequest({ app, action, root, nullifier: people })
}

async function personV1(root = ROOT) {
  return { ...(await person(root)), action_id: vote, signal: '' }
}

/** For each operation, a request that succeeds. */
const good: Record<string, () => Call | Promise<Call>> = {
  'GET /healthz': () => ({}),
  'GET /readyz': () => ({}),
  'GET /openapi.json': () => ({}),
  'GET /docs': () => ({}),
  'GET /docs/start.js': () => ({}),
  'GET /docs/viewer.js': () => ({}),
  'GET /docs/viewer.css': () => ({}),
  'POST /api/v2/verify/{app_id}': async () => ({ body: await person() }),
  'POST /api/v1/verify': async () => ({ body: await personV1() }),
  'GET /api/v1/precheck/{id}': () => ({ query: 'action=vote' }),
  'POST /api/v1/precheck/{id}': () => ({ body: { action: 'vote' } }),
  'GET /api/v1/jwks': () => ({}),
  'POST /api/v1/jwks': () => ({}),
  'GET /api/v2/minikit/transaction/{transaction_id}': () => ({
    query: `app_id=${app}&type=payment`,
    headers: asTeam(),
  }),
  'GET /public/v1/miniapps/prices': () => ({
    query: 'cryptoCurrencies=WLD&fiatCurrencies=USD',
  }),
  'POST /api/v1/signup': () => ({ body: account() }),
  'POST /api/v1/login': () => ({ body: account('ada@example.com') }),
  'GET /api/v1/verify-email': () => ({ query: `token=${'A'.repeat(43)}` }),
  'POST /api/v1/verify-email': () => ({ body: `token=${mailToken}`, headers: FORM }),
  'POST /api/v1/resend-verification': () => ({ body: { email: 'ada@example.com' } }),
  'POST /v1/graphql': () => ({ body: { query: '{ app { id } }' }, headers: asTeam() }),
  'POST /hasura/auth': () => ({ body: { headers: asTeam() } }),
  'POST /api/_jwk-gen': () => ({ headers: asHasura }),
  'POST /api/_ens': () => ({ headers: asHasura }),
  'POST /api/_expire': () => ({ headers: asHasura }),
  'POST /api/_gen-external-nullifier': () => ({
    body: { event: { data: { new: { id: vote, app_id: app, action: 'vote' } } } },
    headers: asHasura,
  }),
  'POST /api/_mail': () => ({ headers: asHasura }),
  'POST /api/_transactions': () => ({ headers: asHasura }),
  'POST /api/_prices': () => ({ headers: asHasura }),
  'POST /hasura/actions': () => ({
    body: call('create_team', { name: 'Team' }),
    headers: asHasura,
  }),
  'GET /api/v1/accept-invite': () => ({ query: `token=${inviteToken}` }),
  'POST /api/v1/accept-invite': () => ({ body: `token=${inviteToken}`, headers: FORM }),
}

/** What Hasura posts when somebody calls an action. */
function call(name: string, input: object) {
  return { action: { name }, input, session_variables: { 'x-hasura-user-id': userId } }
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/** The answers that are an operation's own. */
const own: Record<string, () => Call | Promise<Call>> = {
  'POST /api/v2/verify/{app_id} 400 required': () => ({ url: '/api/v2/verify/' }),
  'POST /api/v2/verify/{app_id} 404 not_found': async () => ({
    url: '/api/v2/verify/app_none',
    body: await person(),
  }),
  'POST /api/v2/verify/{app_id} 400 invalid_action': async () => ({
    body: await person(ROOT, 'none'),
  }),
  'POST /api/v2/verify/{app_id} 400 invalid_engine': async () => ({
    url: `/api/v2/verify/${chainApp}`,
    body: await person(),
  }),
  'POST /api/v2/verify/{app_id} 400 action_inactive': async () => ({
    body: await person(ROOT, 'idle'),
  }),
  'POST /api/v2/verify/{app_id} 400 max_verifications_reached': twice,
  'POST /api/v2/verify/{app_id} 400 invalid_format': async () => ({
    body: { ...(await person()), proof: '0x' },
  }),
  'POST /api/v2/verify/{app_id} 400 invalid_merkle_root': async () => ({ body: await person(1n) }),
  'POST /api/v2/verify/{app_id} 400 root_too_old': async () => later(await person(OLD_ROOT)),
  'POST /api/v2/verify/{app_id} 400 invalid_proof': async () => ({
    body: { ...(await person()), signal_hash: '0x01' },
  }),
  'POST /api/v1/verify 400 required': () => ({ body: {} }),
  'POST /api/v1/verify 404 not_found': async () => ({
    body: { ...(await personV1()), action_id: 'action_none' },
  }),
  'POST /api/v1/verify 400 invalid_engine': async () => ({
    body: { ...(await personV1()), action_id: onChain },
  }),
  'POST /api/v1/verify 400 already_verified': async () => {
    const body = await personV1()
    await platform.post('/api/v1/verify', body)
    return { body }
  },
  'POST /api/v1/verify 400 invalid_format': async () => ({
    body: { ...(await personV1()), proof: '0x' },
  }),
  'POST /api/v1/verify 400 invalid_merkle_root': async () => ({ body: await personV1(1n) }),
  'POST /api/v1/verify 400 root_too_old': async () => later(await personV1(OLD_ROOT)),
  'POST /api/v1/verify 400 invalid_proof': async () => ({
    body: { ...(await personV1()), signal: 'another' },
  }),
  'POST /api/v1/verify 410 gone': async () => ({ body: await personV1() }),
  'GET /api/v1/precheck/{id} 400 required': () => ({ url: '/api/v1/precheck' }),
  'GET /api/v1/precheck/{id} 400 action_inactive': () => ({ query: 'action=idle' }),
  'GET /api/v1/precheck/{id} 400 external_nullifier_mismatch': () => ({
    query: `action=vote&external_nullifier=${formatField(externalNullifier(app, 'idle'))}`,
  }),
  'GET /api/v1/precheck/{id} 400 not_found': () => ({ url: `/api/v1/precheck/${idle}` }),
  'GET /api/v1/precheck/{id} 404 not_found': () => ({ query: 'action=none' }),
  'POST /api/v1/precheck/{id} 400 required': () => ({ url: '/api/v1/precheck' }),
  'POST /api/v1/precheck/{id} 400 action_inactive': () => ({ body: { action: 'idle' } }),
  'POST /api/v1/precheck/{id} 400 external_nullifier_mismatch': () => ({
    body: {
      action: 'vote',
      external_nullifier: formatField(externalNullifier(app, 'idle')),
    },
  }),
  'POST /api/v1/precheck/{id} 400 not_found': () => ({ url: `/api/v1/precheck/${idle}` }),
  'POST /api/v1/precheck/{id} 404 not_found': () => ({ body: { action: 'none' } }),
  'GET /api/v2/minikit/transaction/{transaction_id} 400 required': () => ({ headers: asTeam() }),
  'GET /api/v2/minikit/transaction/{transaction_id} 401 unauthenticated': () => ({}),
  'GET /api/v2/minikit/transaction/{transaction_id} 403 invalid_app': () => ({
    query: 'app_id=app_none&type=payment',
    headers: asTeam(),
  }),
  'GET /api/v2/minikit/transaction/{transaction_id} 404 not_found': () => ({
    query: `app_id=${app}&type=transaction`,
    headers: asTeam(),
  }),
  'GET /public/v1/miniapps/prices 400 required': () => ({}),
  'POST /api/v1/signup 400 required': () => ({ body: {} }),
  'POST /api/v1/signup 400 min_length': () => ({ body: { ...account(), password: 'short' } }),
  'POST /api/v1/signup 400 invalid': () => ({ body: account('nobody') }),
  'POST /api/v1/signup 400 already_registered': () => ({ body: account('ada@example.com') }),
  'POST /api/v1/login 400 required': () => ({ body: {} }),
  'POST /api/v1/login 400 invalid_credentials': () => ({ body: account() }),
  'POST /api/v1/resend-verification 400 required': () => ({ body: {} }),
  'POST /v1/graphql 401': () => ({ body: { query: '{ app { id } }' } }),
  'POST /hasura/auth 401 unauthenticated': () => ({ body: { headers: {} } }),
  'POST /hasura/actions 400': () => ({ body: call('none', {}), headers: asHasura }),
  'POST /api/_ens 500': async () => {
    await platform.anvil.stop()
    return { headers: asHasura }
  },
}

async function twice(): Promise<Call> {
  const body = await person()
  await platform.post(`/api/v2/verify/${app}`, body)
  return { body }
}

function later(body: object): Call {
  platform.clock.aheadMs = SECONDS_IN_EIGHT_DAYS * 1_000
  return { body }
}

test('the document is OpenAPI 3.1', async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(document))
  expect(errors).toBeUndefined()
  expect(valid).toBe(true)
})

test('it is served to pages of any origin, with the address that callers use', async () => {
  const response = await fetch(`${platform.baseUrl}/openapi.json`)
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  expect(await response.json()).toEqual({ ...document, servers: [{ url: platform.baseUrl }] })
})

test('people read it at /docs, which loads nothing from elsewhere', async () => {
  const browser = await startBrowser()
  const page = await browser.newPage({ colorScheme: 'dark', viewport: { width: 400, height: 800 } })
  const complaints: string[] = []
  const origins = new Set<string>()
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('request', (sent) => origins.add(new URL(sent.url()).origin))
  const answer = await page.goto(`${platform.baseUrl}/docs`)
  await page.getByText('Verify a proof, and count the person', { exact: true }).click()
  await page.getByText('max_verifications_reached').first().waitFor()
  const scheme = await page.evaluate('getComputedStyle(document.documentElement).colorScheme')
  expect(scheme).toBe('dark')
  expect(answer?.headers()['content-security-policy']).not.toMatch(/unsafe/)
  expect(complaints).toEqual([])
  expect([...origins].filter((origin) => origin !== 'null')).toEqual([platform.baseUrl])
  if (process.env.SHOT) await page.screenshot({ path: process.env.SHOT })
  await browser.close()
})

describe('what clients send besides is answered as documented:', () => {
  test.each([
    ['a part of a file', 'GET', '/docs/viewer.js', { headers: { range: 'bytes=0-10' } }, 200],
    [
      'a part that is not there',
      'GET',
      '/docs/viewer.js',
      { headers: { range: 'bytes=99999999-' } },
      200,
    ],
    ['a file if it changed', 'GET', '/docs/viewer.js', { headers: { 'if-none-match': '*' } }, 304],
    ['broken escapes', 'GET', '/api/v2/verify/{app_id}', { url: '/api/v2/verify/%ed' }, 400],
    ['several questions', 'POST', '/v1/graphql', { body: [{ query: '{ __typename }' }] }, 200],
  ])('%s', async (_name, method, template, call: Call, status) => {
    const headers = { ...asTeam(), ...call.headers }
    const answer = await send(platform, method, template, { ...call, headers })
    expect(judge(answer)).toHaveProperty('name')
    expect(answer.status).toBe(status)
  })
})

/** The chain ends with the last one. */
const names = [...documented()].toSorted(
  (a, b) => Number(a.endsWith('_ens 500')) - Number(b.endsWith('_ens 500')),
)

describe('every documented answer occurs:', () => {
  test.each(names)('%s', async (name) => {
    const [method = '', template = '', status = '', code] = name.split(' ')
    const operation = `${method} ${template}`
    const call = (await own[name]?.()) ?? (await common(operation, status, code))
    const answer = await send(instanceFor(operation, status, code), method, template, {
      ...call,
      headers: { accept: accepted(name), ...call.headers },
    })
    platform.clock.aheadMs = 0
    expect(judge(answer)).toEqual({ name })
  })
})

/** Where a person would see a page, the answer without a code is the page. */
function accepted(name: string): string {
  return /(verify-email|accept-invite) \d+$/.test(name) ? 'text/html' : 'application/json'
}

function instanceFor(operation: string, status: string, code = ''): Instance {
  if (status === '410') return sunset
  if (status === '429') return strict
  if (status === '503') return lonely
  if (status === '500' && operation !== 'POST /api/_ens') return lost
  if (code === 'internal_error') return lost
  return platform
}

/** What any operation may be refused for, done to a request that would succeed. */
async function common(operation: string, status: string, code = ''): Promise<Call> {
  const call = await good[operation]?.()
  if (!call) throw new Error(`Say above what succeeds at ${operation}.`)
  if (status === '429') await send(strict, ...partsOf(operation), call)
  if (status === '403') return { ...call, headers: {} }
  if (status === '415') return encoded(call, { 'content-encoding': 'rot13' })
  if (status === '413') return { ...call, body: 'x'.repeat(2_100_001) }
  if (status !== '400') return call
  if (code === 'invalid_request')
    return { ...encoded(call, { 'content-encoding': 'gzip' }), body: '{' }
  return /verify-email|accept-invite/.test(operation)
    ? { headers: FORM, body: '', query: '' }
    : { ...call, body: '[]' }
}

function encoded({ body = '{}', ...call }: Call, headers: Record<string, string>): Call {
  return { ...call, body, headers: { ...call.headers, ...headers } }
}

function partsOf(operation: string): [string, string] {
  const [method = '', template = ''] = operation.split(' ')
  return [method, template]
}

/** Like `fetch`, which sends no body with a GET. */
function send({ baseUrl }: Instance, method: string, template: string, call: Call) {
  const ids: Record<string, string> = { app_id: app, id: app, transaction_id: transaction }
  const path = call.url ?? template.replaceAll(/\{(\w+)\}/g, (_all, name) => ids[name] ?? '')
  const body = typeof call.body === 'object' ? JSON.stringify(call.body) : (call.body ?? '')
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...call.headers,
  }
  return new Promise<Parameters<typeof judge>[0]>((resolve, reject) => {
    const sent = request(
      `${baseUrl}${path}?${call.query ?? ''}`,
      { method, headers },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk) => {
          text += chunk
        })
        response.once('end', () => {
          const given = new Headers()
          for (const [name, value] of Object.entries(response.headers))
            given.set(name, String(value))
          resolve({ method, path, status: response.statusCode ?? 0, headers: given, body: text })
        })
      },
    )
    sent.once('error', reject).end(body)
  })
}

describe('an answer that is not documented is found:', () => {
  const headers = new Headers({ 'content-type': 'application/json', 'x-request-id': '1' })
  const refused = { code: 'required', detail: '', attribute: null }
  const login = { method: 'POST', path: '/api/v1/login', status: 400, headers }

  test.each([
    ['a status', { status: 418 }, refused],
    ['a code', {}, { ...refused, code: 'not_found' }],
    ['a field', {}, { ...refused, stack: '' }],
    ['a form', { status: 200 }, { token: 1 }],
    ['a type', { headers: new Headers({ 'content-type': 'text/html', 'x-request-id': '1' }) }, {}],
    ['an answer that names no request', { headers: new Headers() }, refused],
    ['a method', { method: 'PUT' }, refused],
    ['a path', { path: '/api/v1/logout' }, refused],
  ])('%s', (_name, change, body) => {
    expect(judge({ ...login, ...change, body: JSON.stringify(body) })).toHaveProperty('fault')
    expect(judge({ ...login, body: JSON.stringify(refused) })).toHaveProperty('name')
  })
})
