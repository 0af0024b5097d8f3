import { once } from 'node:events'
import type { Server } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { developmentKey } from '../../../local/simulator/development-key/development-key.ts'
import { createProveEndpoint } from '../../../local/simulator/prove-endpoint.ts'
import { VerificationRequest } from '../../../local/simulator/verification-request.ts'
import { startChain, type TestChain } from '../../support/chain.ts'
import { developmentPool, holds } from '../../support/simulator/development-proofs.ts'
import { forgeMembership } from '../../support/simulator/forge-membership.ts'

let anvil: TestChain
let server: Server
let url: string

beforeAll(async () => {
  anvil = await startChain()
  server = createProveEndpoint({ rpcUrl: anvil.rpcUrl, prove: forgeMembership }).listen(
    0,
    '127.0.0.1',
  )
  await once(server, 'listening')
  const address = server.address()
  url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/prove`
})
afterAll(async () => {
  server.close()
  await anvil.stop()
})

const ask = (body: string, type = 'application/json') =>
  fetch(url, { method: 'POST', headers: { 'content-type': type }, body })

test('a program gets a proof that holds for its app and action', async () => {
  const purpose = { app_id: 'app_staging_1', action: 'vote', identity: 'ada', level: 'device' }
  const answer = await ask(JSON.stringify(purpose))
  const request = VerificationRequest.parse(await answer.json())
  expect(request).toMatchObject({ action: 'vote', verification_level: 'device' })
  const pool = await developmentPool(await developmentKey())
  expect(await holds(pool, request, { appId: 'app_staging_1', action: 'vote' })).toBe(true)
  await pool.close()
})

test.each([
  ['{"action":"vote"}', 'app_id: This attribute is required.'],
  ['{"app_id":"a","action":"vote","level":"iris"}', 'level: Must be one of orb, '],
  ['{"app_id":"a","action":"vote","person":"ada"}', 'Must not have person.'],
  ['{', 'JSON'],
])('%s is refused in words', async (body, words) => {
  const answer = await ask(body)
  expect(answer.status).toBe(400)
  expect(await answer.json()).toEqual({ detail: expect.stringContaining(words) })
})

test('a body that is too large, or in an unknown charset, has a status of its own', async () => {
  const large = await ask(JSON.stringify({ app_id: 'a'.repeat(200_000), action: 'vote' }))
  expect(large.status).toBe(413)
  expect(await large.json()).toEqual({ detail: 'request entity too large' })
  const unknown = await ask('{}', 'application/json; charset=klingon')
  expect(unknown.status).toBe(415)
  expect(await unknown.json()).toEqual({ detail: 'unsupported charset "KLINGON"' })
})

test('what a form of another site can send is not read', async () => {
  const answer = await ask('{"app_id":"a","action":"vote"}', 'text/plain')
  expect(answer.status).toBe(400)
})

test('a chain that is away is a sentence', async () => {
  await anvil.stop()
  const answer = await ask('{"app_id":"a","action":"vote"}')
  expect(answer.status).toBe(500)
  expect(await answer.json()).toEqual({ detail: expect.stringMatching(/^No chain answers at /) })
})
