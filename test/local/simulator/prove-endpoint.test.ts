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

const postProve = (body: string, type = 'application/json') =>
  fetch(url, { method: 'POST', headers: { 'content-type': type }, body })

test('a program gets a proof that is valid for its app and action', async () => {
  const purpose = { app_id: 'app_staging_1', action: 'vote', identity: 'ada', level: 'device' }
  const answer = await postProve(JSON.stringify(purpose))
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
  ['{"app_id":"a","action":"vote","signal_hash":"0xvote"}', 'signal_hash: Must be 1 to 64 hex'],
  ['{"app_id":"a","action":"","signal":"","signal_hash":"0x1"}', 'Send signal or signal_hash, not'],
  ['{', 'JSON'],
])('the body %s gets 400 with an explanation', async (body, words) => {
  const answer = await postProve(body)
  expect(answer.status).toBe(400)
  expect(await answer.json()).toEqual({ detail: expect.stringContaining(words) })
})

test('a body that is too large gets 413, and a body in an unknown charset gets 415', async () => {
  const large = await postProve(JSON.stringify({ app_id: 'a'.repeat(200_000), action: 'vote' }))
  expect(large.status).toBe(413)
  expect(await large.json()).toEqual({ detail: 'request entity too large' })
  const unknownCharset = await postProve('{}', 'application/json; charset=klingon')
  expect(unknownCharset.status).toBe(415)
  expect(await unknownCharset.json()).toEqual({ detail: 'unsupported charset "KLINGON"' })
})

test('a body of the type text/plain, which a form of another site can send, gets 400', async () => {
  const answer = await postProve('{"app_id":"a","action":"vote"}', 'text/plain')
  expect(answer.status).toBe(400)
  expect(await answer.json()).toEqual({ detail: expect.stringContaining('application/json') })
})

test('while the chain is unreachable, the response says so', async () => {
  await anvil.stop()
  const answer = await postProve('{"app_id":"a","action":"vote"}')
  expect(answer.status).toBe(500)
  expect(await answer.json()).toEqual({ detail: expect.stringMatching(/^No chain responds at /) })
})
