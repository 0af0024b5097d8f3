import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { idkit4Response, idkit4Result } from '../../support/webhooks/idkit-4-result.ts'
import {
  app,
  platform,
  publish,
  request,
  setTheSceneApart,
  team,
} from '../../support/webhooks/verification-scene.ts'

// The responses of v1, v2 and protocol 3.0, byte for byte as they were before protocol 4.0. They were recorded with the code
// of that time: RECORD_ANSWERS=1 writes the file again. Only the random ids and the times are replaced.

const FILE = new URL('../../support/webhooks/verify/recorded-answers.json', import.meta.url)
const OLD_ROOT = 4_700n

setTheSceneApart()

const recorded = process.env.RECORD_ANSWERS
  ? {}
  : z.record(z.string(), z.string()).parse(JSON.parse(readFileSync(FILE, 'utf8')))
const answers: Record<string, string> = {}
const ids = new Map<string, string>()

beforeAll(async () => {
  await publish(OLD_ROOT)
  await publish(4711n)
  await platform.action(app, { action: 'idle', status: 'inactive' })
  await platform.action(app, { action: 'twice', max_verifications: 2 })
  const onChain = await platform.app({ team, engine: 'on-chain' })
  await platform.action(onChain)
  const { rows } = await platform.db.query(
    "select id from action where app_id = $1 and action = 'vote'",
    [app],
  )
  ids.set('$app', app).set('$onChain', onChain).set('$action', rows[0].id)
})
afterAll(() => {
  if (process.env.RECORD_ANSWERS) writeFileSync(FILE, `${JSON.stringify(answers, null, 2)}\n`)
})

type Sent = { path: string; body: unknown; headers?: Record<string, string> }
const V2 = '/api/v2/verify/$app'
const V4 = '/api/v4/verify/$app'
const V1 = '/api/v1/verify'
const KEY = { 'idempotency-key': 'a-key-of-this-test' }

const people = new Map<string, ReturnType<typeof request>>()
/** Forges the request of a person once, because each forged proof differs. */
function person(nullifier: bigint, change: Parameters<typeof request>[0] = {}) {
  const name = `${nullifier} ${change.action} ${change.root}`
  const known = people.get(name) ?? request({ nullifier, ...change })
  people.set(name, known)
  return known
}
const changed = async (nullifier: bigint, change: object) => ({
  ...(await person(nullifier)),
  ...change,
})
const v1Body = async (nullifier: bigint, change: object = {}) => {
  const { action, verification_level, signal_hash, ...proof } = await person(nullifier)
  return { ...proof, action_id: '$action', signal: '', ...change }
}
const v4Body = async (nullifier: bigint, change: object = {}) =>
  idkit4Result(await person(nullifier), change)
const v4Response = async (nullifier: bigint, change: object) => {
  const { action, ...proof } = await person(nullifier)
  return { ...idkit4Response(proof), ...change }
}

/** The requests in their order: some repeat the person of an earlier request. */
const REQUESTS: [string, () => Promise<Sent> | Sent][] = [
  ['v2: a person', async () => ({ path: V2, body: await person(1n) })],
  ['v2: the same person', async () => ({ path: V2, body: await person(1n) })],
  [
    'v2: another level',
    async () => ({ path: V2, body: await changed(2n, { verification_level: 'device' }) }),
  ],
  [
    'v2: an action with limit 2',
    async () => ({ path: V2, body: await person(3n, { action: 'twice' }) }),
  ],
  ['v2: sign-in', async () => ({ path: V2, body: await person(4n, { action: '' }) })],
  [
    'v2: an unknown key',
    async () => ({ path: V2, body: await changed(5n, { protocol_version: '4.0' }) }),
  ],
  ['v2: an unknown app', async () => ({ path: '/api/v2/verify/app_none', body: await person(6n) })],
  [
    'v2: an rp id',
    async () => ({ path: '/api/v2/verify/rp_0123456789abcdef', body: await person(6n) }),
  ],
  ['v2: no app', () => ({ path: '/api/v2/verify/', body: {} })],
  ['v2: an unknown action', async () => ({ path: V2, body: await person(6n, { action: 'none' }) })],
  [
    'v2: an inactive action',
    async () => ({ path: V2, body: await person(6n, { action: 'idle' }) }),
  ],
  [
    'v2: an on-chain app',
    async () => ({ path: '/api/v2/verify/$onChain', body: await person(6n) }),
  ],
  ['v2: a malformed proof', async () => ({ path: V2, body: await changed(6n, { proof: '0x' }) })],
  ['v2: an unknown root', async () => ({ path: V2, body: await person(6n, { root: 1n }) })],
  [
    'v2: another signal',
    async () => ({ path: V2, body: await changed(6n, { signal_hash: '0x01' }) }),
  ],
  [
    'v2: a malformed nullifier',
    async () => ({ path: V2, body: await changed(6n, { nullifier_hash: 'x' }) }),
  ],
  [
    'v2: a missing field',
    async () => ({ path: V2, body: await changed(6n, { merkle_root: undefined }) }),
  ],
  ['v2: no JSON', () => ({ path: V2, body: '{' })],
  ['v2: a list', () => ({ path: V2, body: '[]' })],
  ['v2: a body of 200 kB', () => ({ path: V2, body: JSON.stringify('x'.repeat(200_000)) })],
  ['v2: a key', async () => ({ path: V2, body: await person(7n), headers: KEY })],
  ['v2: the same key', async () => ({ path: V2, body: await person(7n), headers: KEY })],
  [
    'v2: the key with another person',
    async () => ({ path: V2, body: await person(8n), headers: KEY }),
  ],
  ['v4: a person', async () => ({ path: V4, body: await v4Body(11n) })],
  ['v4: the same person', async () => ({ path: V4, body: await v4Body(11n) })],
  ['v4: the person of v2', async () => ({ path: V4, body: await v4Body(1n) })],
  [
    'v4: fields of protocol 4.0',
    async () => ({
      path: V4,
      body: await v4Body(12n, {
        environment: 'sandbox',
        session_id: 'x',
        integrity_bundle: { a: 1 },
      }),
    }),
  ],
  [
    'v4: a valid proof after an invalid proof',
    async () => ({
      path: V4,
      body: await v4Body(13n, {
        responses: [
          await v4Response(13n, { merkle_root: '0x1' }),
          await v4Response(13n, { identifier: 'device' }),
        ],
      }),
    }),
  ],
  [
    'v4: two invalid proofs',
    async () => ({
      path: V4,
      body: await v4Body(14n, {
        responses: [
          await v4Response(14n, { proof: '0x' }),
          await v4Response(14n, { merkle_root: '0x1' }),
        ],
      }),
    }),
  ],
  ['v4: no responses', async () => ({ path: V4, body: await v4Body(14n, { responses: [] }) })],
  [
    'v4: five responses',
    async () => ({ path: V4, body: await v4Body(14n, { responses: [1, 2, 3, 4, 5] }) }),
  ],
  [
    'v4: an unknown credential',
    async () => ({
      path: V4,
      body: await v4Body(14n, { responses: [await v4Response(14n, { identifier: 'eye' })] }),
    }),
  ],
  ['v4: no action', async () => ({ path: V4, body: await v4Body(14n, { action: undefined }) })],
  [
    'v4: an unknown action',
    async () => ({ path: V4, body: await v4Body(14n, { action: 'none' }) }),
  ],
  [
    'v4: an unknown app',
    async () => ({ path: '/api/v4/verify/app_none', body: await v4Body(14n) }),
  ],
  ['v4: no app id', async () => ({ path: '/api/v4/verify/none', body: await v4Body(14n) })],
  ['v4: no path', () => ({ path: '/api/v4/verify', body: {} })],
  [
    'v4: an on-chain app',
    async () => ({ path: '/api/v4/verify/$onChain', body: await v4Body(14n) }),
  ],
  [
    'v4: a key',
    async () => ({ path: V4, body: await v4Body(15n), headers: { 'idempotency-key': 'four' } }),
  ],
  [
    'v4: the same key',
    async () => ({ path: V4, body: await v4Body(15n), headers: { 'idempotency-key': 'four' } }),
  ],
  ['v1: a person', async () => ({ path: V1, body: await v1Body(21n) })],
  ['v1: the same person', async () => ({ path: V1, body: await v1Body(21n) })],
  ['v1: the person of v2', async () => ({ path: V1, body: await v1Body(1n) })],
  [
    'v1: an unknown action',
    async () => ({ path: V1, body: await v1Body(22n, { action_id: 'action_none' }) }),
  ],
  ['v1: another signal', async () => ({ path: V1, body: await v1Body(22n, { signal: 'x' }) })],
  [
    'v1: an unknown root',
    async () => ({ path: V1, body: await v1Body(22n, { merkle_root: '0x1' }) }),
  ],
  ['v1: an empty body', () => ({ path: V1, body: {} })],
]

test.each(REQUESTS)('%s gets the recorded response', async (name, createRequest) => {
  const { path, body, headers } = await createRequest()
  const response = await fetch(platform.baseUrl + withIds(path), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: withIds(typeof body === 'string' ? body : JSON.stringify(body)),
  })
  const replayed = response.headers.get('idempotent-replayed') === 'true' ? ' replayed' : ''
  const text = (await response.text()).replaceAll(/"created_at":"[^"]+"/g, '"created_at":"…"')
  answers[name] = `${response.status}${replayed} ${text}`
  if (!process.env.RECORD_ANSWERS) expect(answers[name]).toBe(recorded[name])
})

test('every recorded response was compared', () => {
  expect(Object.keys(answers)).toEqual(REQUESTS.map(([name]) => name))
})

/** Replaces the names of ids by the ids of this run. */
function withIds(text: string): string {
  return [...ids].reduce((replaced, [name, id]) => replaced.replaceAll(name, id), text)
}
