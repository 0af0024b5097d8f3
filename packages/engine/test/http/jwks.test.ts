import type { IncomingHttpHeaders } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { keysLifetimeMs } from '../../session/jwks-lifetime.ts'
import { type Notes, readNoteIds, serveNotes } from '../support/notes.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { serveEngineHere } from '../support/serve-here.ts'
import type { ServedEngine } from '../support/start-engine.ts'

type KeyPair = Awaited<ReturnType<typeof newKeyPair>>

let notes: Notes
let firstKey: KeyPair
let secondKey: KeyPair
let server: Receiver
let engine: ServedEngine

/** The response of the server that has the keys. */
let keyResponse: { keys: object[]; headers: Record<string, string>; status: number }

beforeAll(async () => {
  notes = await serveNotes()
  firstKey = await newKeyPair('one')
  secondKey = await newKeyPair('two')
})
afterAll(() => notes.stop())

beforeEach(async () => {
  keyResponse = { keys: [], headers: {}, status: 200 }
  server = await startReceiver(() => ({ ...keyResponse, body: { keys: keyResponse.keys } }))
  engine = await serveEngineHere(notes.db.url, {
    HASURA_GRAPHQL_JWT_SECRET: JSON.stringify({ jwk_url: server.url }),
  })
  return async () => {
    await engine.stop()
    await server.close()
  }
})

async function newKeyPair(kid: string) {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true })
  const jwk = { ...(await exportJWK(publicKey)), kid, use: 'sig', alg: 'RS256' }
  return { privateKey, jwk }
}

/** Returns the ids of the notes that ada reads with a token signed by this key, or the error code. */
async function notesWithKey({ privateKey }: KeyPair, kid?: string) {
  const claims = {
    'x-hasura-allowed-roles': ['user'],
    'x-hasura-default-role': 'user',
    'x-hasura-user-id': 'ada',
  }
  const token = await new SignJWT({ 'https://hasura.io/jwt/claims': claims })
    .setProtectedHeader({ alg: 'RS256', ...(kid !== undefined && { kid }) })
    .sign(privateKey)
  return readNoteIds(engine, { authorization: `Bearer ${token}` })
}

test('after max-age a withdrawn key is rejected and a new key accepted', async () => {
  keyResponse.headers = { 'cache-control': 'max-age=1' }
  keyResponse.keys = [firstKey.jwk]
  expect(await notesWithKey(firstKey, 'one')).toEqual([1])
  expect(await notesWithKey(secondKey, 'two')).toBe('invalid-jwt')
  expect(server.received.length).toBe(1)
  keyResponse.keys = [secondKey.jwk]
  await sleep(1_100)
  expect(await notesWithKey(firstKey, 'one')).toBe('invalid-jwt')
  expect(await notesWithKey(secondKey, 'two')).toEqual([1])
  expect(server.received.length).toBe(2)
})

test.each([
  ['without a key name', undefined],
  ['with an unknown key name', 'other'],
])('a token %s is verified with each of several keys', async (_what, kid) => {
  keyResponse.keys = [firstKey.jwk, secondKey.jwk]
  expect(await notesWithKey(firstKey, kid)).toEqual([1])
  expect(await notesWithKey(secondKey, kid)).toEqual([1])
  expect(await notesWithKey(await newKeyPair('three'), kid)).toBe('invalid-jwt')
  expect(server.received.length).toBe(1)
})

test('concurrent requests fetch the keys once', async () => {
  keyResponse.keys = [firstKey.jwk]
  await Promise.all(Array.from({ length: 10 }, () => notesWithKey(firstKey)))
  expect(server.received.length).toBe(1)
})

test('keys stay valid if they cannot be fetched again', async () => {
  keyResponse.headers = { 'cache-control': 'max-age=1' }
  keyResponse.keys = [firstKey.jwk]
  expect(await notesWithKey(firstKey)).toEqual([1])
  keyResponse.status = 503
  await sleep(1_100)
  expect(await notesWithKey(firstKey)).toEqual([1])
  expect(await notesWithKey(firstKey)).toEqual([1])
  expect(server.received.length).toBe(2)
})

test('keys that could not be fetched at first are fetched a second later', async () => {
  keyResponse.status = 503
  keyResponse.keys = [firstKey.jwk]
  expect(await notesWithKey(firstKey)).toBe('invalid-jwt')
  keyResponse.status = 200
  await sleep(1_100)
  expect(await notesWithKey(firstKey)).toEqual([1])
})

test.each<[string, IncomingHttpHeaders, number]>([
  ['max-age', { 'cache-control': 'public, max-age=300' }, 300],
  ['s-maxage', { 'cache-control': 's-maxage=20' }, 20],
  ['a max-age of 0 for a minute', { 'cache-control': 'max-age=0' }, 60],
  ['no-cache for a minute', { 'cache-control': 'no-cache, max-age=300' }, 60],
  ['no-store for a minute', { 'cache-control': 'no-store' }, 60],
  ['must-revalidate with a max-age', { 'cache-control': 'must-revalidate, max-age=300' }, 300],
  ['must-revalidate alone for a minute', { 'cache-control': 'must-revalidate' }, 60],
  ['Expires', { expires: new Date(120_000).toUTCString() }, 120],
  ['an Expires in the past for a minute', { expires: '0' }, 60],
  [
    'Expires if Cache-Control has no time',
    { 'cache-control': 'public', expires: new Date(120_000).toUTCString() },
    120,
  ],
  ['no headers for ten minutes', {}, 600],
])("the server's headers set how long keys are used: %s", (_what, headers, seconds) => {
  expect(keysLifetimeMs(headers, 0)).toBe(seconds * 1_000)
})
