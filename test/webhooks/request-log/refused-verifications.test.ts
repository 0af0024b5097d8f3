import { describe, expect } from 'vitest'
import { rpIdOfApp } from '../../../lib/proof/protocol-4/rp-id.ts'
import { readRequestLog } from '../../support/hasura/read-request-log.ts'
import { test } from '../../support/webhooks/platform-test.ts'
import {
  app,
  platform,
  request,
  setTheScene,
  team,
  verify,
} from '../../support/webhooks/verification-scene.ts'

// The request log of an app: what it has, and what it leaves out. test/lib/runtime/request-log has its bounds.

setTheScene()

describe('a refused verification enters the request log of its app', () => {
  test('a refusal of each version has its endpoint, code, field, words and request id', async () => {
    const own = await platform.app({ team })
    const action = await platform.action(own)
    const body = await request({ app: own })
    const refusals = [
      ['/api/v2/verify', await verify({ ...body, action: 'unknown' }, own), 'invalid_action'],
      ['/api/v2/verify', await verify({ ...body, merkle_root: '0x9' }, own), 'invalid_merkle_root'],
      ['/api/v4/verify', await verifyV4(rpIdOfApp(own), await result3(own)), 'invalid_merkle_root'],
      ['/api/v4/verify', await verifyV4(own, {}), 'validation_error'],
      ['/api/v1/verify', await verifyV1(action, { signal: 5 }), 'validation_error'],
      ['/api/v1/precheck', await precheck(own, { action: 'unknown' }), 'not_found'],
    ] as const
    const log = await readRequestLog(platform.db, own, refusals.length)
    expect(log).toHaveLength(refusals.length)
    for (const [endpoint, { status, body: answer, headers }, code] of refusals) {
      const { attribute, detail } = Object(answer)
      expect([status >= 400, Object(answer).code]).toEqual([true, code])
      expect(log).toContainEqual({
        endpoint,
        code,
        attribute,
        detail,
        reasons: [],
        request_id: headers.get('x-request-id'),
        times: 1,
      })
    }
  })

  test('a used-up nullifier and an invalid proof are logged, and a counted person is not', async () => {
    const own = await platform.app({ team })
    await platform.action(own)
    const body = await request({ app: own })
    expect(await verify({ ...body, signal_hash: '0x1' }, own)).toMatchObject({ status: 400 })
    expect(await verify(body, own)).toMatchObject({ status: 200 })
    expect(await verify(body, own)).toMatchObject({ status: 400 })
    const log = await readRequestLog(platform.db, own, 2)
    expect(log.map(({ code }) => code)).toEqual(['invalid_proof', 'max_verifications_reached'])
  })

  test('a body that cannot be read is logged for the app in the path', async () => {
    const own = await platform.app({ team })
    const path = `/api/v2/verify/${own}`
    await platform.post(path, 'no json')
    await platform.post(path, '{}', { 'content-type': 'text/plain' })
    const log = await readRequestLog(platform.db, own, 2)
    expect(log.map(({ code }) => code)).toEqual(['invalid_request', 'invalid_content_type'])
  })

  test('an archived app still gets the refusals of its requests', async () => {
    const own = await platform.app({ team })
    await platform.db.query('update app set is_archived = true where id = $1', [own])
    await verify(await request({ app: own }), own)
    expect(await readRequestLog(platform.db, own, 1)).toMatchObject([{ code: 'not_found' }])
  })

  test('equal refusals within a second share a row', async () => {
    const own = await platform.app({ team })
    const body = await request({ app: own })
    const startedAt = performance.now()
    await Promise.all(Array.from({ length: 40 }, () => verify(body, own)))
    const total = async () =>
      (await readRequestLog(platform.db, own, 1)).reduce((sum, { times }) => sum + times, 0)
    await expect.poll(total, { timeout: 10_000 }).toBe(40)
    const seconds = Math.ceil((performance.now() - startedAt) / 1_000)
    expect((await readRequestLog(platform.db, own, 1)).length).toBeLessThanOrEqual(seconds)
  })
})

describe('the request log has nothing private', () => {
  test('no row has a proof, a nullifier or the address of a caller', async () => {
    const own = await platform.app({ team })
    await platform.action(own)
    const body = await request({ app: own })
    const hostile = { ...body, nullifier_hash: `${body.nullifier_hash}zz`, max_age: body.proof }
    await verify(hostile, own)
    await verify({ ...body, merkle_root: '0x9' }, own)
    await readRequestLog(platform.db, own, 2)
    const { rows } = await platform.db.query<{ line: string }>(
      'select refused_request::text as line from refused_request where app_id = $1',
      [own],
    )
    for (const { line } of rows)
      for (const secret of [body.proof, body.nullifier_hash.slice(2), '127.0.0.1'])
        expect(line).not.toContain(secret)
  })

  test('a request of an unknown app is not logged', async () => {
    const { rows } = await platform.db.query('select count(*)::int as n from refused_request')
    const unknown = `app_${'f'.repeat(32)}`
    await verify(await request(), unknown)
    await verify(await request(), `${app}x`)
    // The log is written in the order of the requests, so after this row the others would be there.
    const own = await platform.app({ team })
    await verify(await request({ app: own }), own)
    await readRequestLog(platform.db, own, 1)
    const after = await platform.db.query('select count(*)::int as n from refused_request')
    expect(after.rows[0].n).toBe(rows[0].n + 1)
  })
})

async function result3(appId: string) {
  const {
    nullifier_hash: nullifier,
    verification_level: identifier,
    ...proof
  } = Object(await request({ app: appId }))
  const responses = [{ ...proof, nullifier, identifier: identifier ?? 'orb', merkle_root: '0x9' }]
  return { protocol_version: '3.0', action: 'vote', responses }
}

function verifyV4(id: string, body: object) {
  return platform.post(`/api/v4/verify/${id}`, body)
}

function verifyV1(action_id: string, fields: object) {
  const proof = { proof: '0x', nullifier_hash: '0x1', merkle_root: '0x1' }
  return platform.post('/api/v1/verify', { ...proof, action_id, ...fields })
}

function precheck(id: string, body: object) {
  return platform.post(`/api/v1/precheck/${id}`, body)
}
