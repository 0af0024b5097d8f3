import { once } from 'node:events'
import type { Server } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formatField, hashToField } from '../../../lib/proof/encoding.ts'
import { developmentKey } from '../../../local/simulator/development-key/development-key.ts'
import { VerificationRequest4 } from '../../../local/simulator/protocol-4/prove-input.ts'
import { createProveEndpoint } from '../../../local/simulator/prove-endpoint.ts'
import { VerificationRequest } from '../../../local/simulator/verification-request.ts'
import { startChain, type TestChain } from '../../support/chain.ts'
import { developmentPool, holds } from '../../support/simulator/development-proofs.ts'
import { createVerifier } from '../../support/simulator/verifier-contract.ts'
import { walletTools } from '../../support/simulator/wallet-tools.ts'

let anvil: TestChain
let server: Server
let url: string

beforeAll(async () => {
  anvil = await startChain()
  server = createProveEndpoint(walletTools(anvil)).listen(0, '127.0.0.1')
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

describe('POST /prove with protocol 4.0 returns the body for /api/v4/verify', () => {
  const app = 'app_staging_1'
  const prove4 = async (fields: object) => {
    const answer = await postProve(JSON.stringify({ protocol: '4.0', app_id: app, ...fields }))
    return VerificationRequest4.parse(await answer.json())
  }
  const verifierOf = (action: string) => createVerifier(anvil.rpcUrl, { app, action })

  test('a uniqueness proof is bound to the action, the signal and the nonce', async () => {
    const nonce = formatField(77n)
    const proof = await prove4({ action: 'vote', identity: 'ada', signal: 'yes', nonce })
    expect(proof).toMatchObject({ nonce, action: 'vote', environment: 'staging' })
    expect(proof.responses).toMatchObject([
      {
        identifier: 'proof_of_human',
        issuer_schema_id: 1,
        signal_hash: formatField(hashToField('yes')),
        credential_genesis_issued_at_min: 0,
      },
    ])
    expect(await verifierOf('vote').errors(proof)).toEqual([null])
    expect(await verifierOf('claim').errors(proof)).toEqual(['ProofInvalid'])
    expect(await verifierOf('vote').errors({ ...proof, nonce: formatField(78n) })).toEqual([
      'ProofInvalid',
    ])
  })

  test('a session proof has another nullifier each time, for the same session', async () => {
    const first = await prove4({ session_id: 'create', credential: 'passport' })
    const second = await prove4({ session_id: first.session_id })
    expect(second.session_id).toBe(first.session_id)
    expect(await verifierOf('').errors(first)).toEqual([null])
    expect(await verifierOf('').errors(second)).toEqual([null])
    expect(second.responses[0]?.session_nullifier).not.toEqual(
      first.responses[0]?.session_nullifier,
    )
  })

  test('the signal hash is 0 without a signal, and the bounds of the credential are kept', async () => {
    const bounds = { expires_at_min: 1_900_000_000, genesis_issued_at_min: 1_700_000_000 }
    const proof = await prove4({ action: '0x1234', ...bounds })
    expect(proof.responses).toMatchObject([
      {
        signal_hash: formatField(0n),
        expires_at_min: 1_900_000_000,
        credential_genesis_issued_at_min: 1_700_000_000,
      },
    ])
    expect(await verifierOf('0x1234').errors(proof)).toEqual([null])
  })

  test.each([
    [{}, 'Send action or session_id, not both.'],
    [{ action: 'vote', session_id: 'create' }, 'Send action or session_id, not both.'],
    [{ session_id: 'session_1' }, 'session_id: Must be "create", or session_ and 128 hex digits.'],
    [{ action: 'vote', level: 'orb' }, 'Must not have level.'],
    [{ action: 'vote', credential: 'orb' }, 'credential: Must be one of proof_of_human, '],
    [{ action: 'vote', nonce: 'x' }, 'nonce: Must be 1 to 64 hex digits'],
    [{ action: 'vote', credential: 'mnc', identity: 'passport-only' }, 'This person has no mnc.'],
    [{ action: 'vote', identity: 'legacy' }, 'This person has no proof_of_human.'],
  ])('the fields %j get 400 with an explanation', async (fields, words) => {
    const body = { protocol: '4.0', app_id: app, ...fields }
    const answer = await postProve(JSON.stringify(body))
    expect(answer.status).toBe(400)
    expect(await answer.json()).toEqual({ detail: expect.stringContaining(words) })
  })
})

test.each([
  ['{"action":"vote","app_id":"a","protocol":"5.0"}', 'protocol: '],
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
