import { describe, expect, test } from 'vitest'
import { formatField } from '../../../lib/proof/encoding.ts'
import { rpIdOfApp } from '../../../lib/proof/protocol-4/rp-id.ts'
import { idkit4Response, idkit4Result } from '../../support/webhooks/idkit-4-result.ts'
import {
  app,
  platform,
  request,
  setTheScene,
  verify,
} from '../../support/webhooks/verification-scene.ts'

setTheScene()

const verifyV4 = (body: object, id = app) =>
  platform.post(`/api/v4/verify/${encodeURIComponent(id)}`, body)

describe('the result of IDKit 4 is verified', () => {
  test('the result of IDKit 4 is counted, and the response has the canonical nullifier and the time', async () => {
    const body = idkit4Result(await request({ nullifier: 0xabcn }))
    expect(await verifyV4(body)).toMatchObject({
      status: 200,
      body: {
        success: true,
        action: 'vote',
        nullifier: formatField(0xabcn),
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+[+-]\d\d:\d\d$/),
        protocol_version: '3.0',
        identifier: 'orb',
        uses: 1,
        max_uses: 1,
      },
    })
  })

  test('the result of IDKit 4 and version 2 count the same people', async () => {
    const body = await request()
    expect((await verify(body)).status).toBe(200)
    const limitReached = { status: 400, body: { code: 'max_verifications_reached' } }
    expect(await verifyV4(idkit4Result(body))).toMatchObject(limitReached)
    const other = await request()
    expect((await verifyV4(idkit4Result(other))).status).toBe(200)
    expect(await verify(other)).toMatchObject(limitReached)
  })

  test('the result of IDKit 4 counts once, however many of its proofs are valid', async () => {
    const { action, ...proof } = await request()
    const responses = [idkit4Response(proof), idkit4Response(proof)]
    const body = { protocol_version: '3.0', action, responses }
    expect((await verifyV4(body)).body).toMatchObject({ uses: 1 })
  })

  test('the result of IDKit 4 is accepted with one valid proof, and otherwise gets the error of its first proof', async () => {
    const { action, ...proof } = await request()
    const validResponse = idkit4Response(proof)
    const unknownRoot = { ...validResponse, merkle_root: '0x1' }
    const brokenProof = { ...validResponse, proof: '0x' }
    const send = (responses: object[]) => verifyV4({ protocol_version: '3.0', action, responses })
    expect((await send([unknownRoot, brokenProof])).body).toMatchObject({
      code: 'invalid_merkle_root',
    })
    expect((await send([brokenProof, unknownRoot])).body).toMatchObject({ code: 'invalid_format' })
    const deviceResponse = { ...validResponse, identifier: 'device' }
    expect((await send([unknownRoot, brokenProof, deviceResponse])).body).toMatchObject({
      identifier: 'device',
    })
  })
})

test('the result of IDKit 4 is accepted with the rp id of the app in the path', async () => {
  expect((await verifyV4(idkit4Result(await request()), rpIdOfApp(app))).status).toBe(200)
  expect(await verifyV4(idkit4Result(await request()), 'rp_0123456789abcdef')).toMatchObject({
    status: 404,
    body: { code: 'not_found', attribute: 'app_id' },
  })
  expect(await verifyV4(idkit4Result(await request()), 'rp_1')).toMatchObject({
    status: 400,
    body: { code: 'invalid_request', attribute: 'app_id' },
  })
})

test('v1, v2 and protocol 3.0 are refused by an action of protocol 4.0', async () => {
  const id = await platform.action(app, { action: 'new' })
  const query = 'update action set protocol = $2 where id = $1'
  await platform.db.query(query, [id, '4.0'])
  const body = await request({ action: 'new' })
  const { action, ...proof } = body
  const sendAll = async () => [
    await verify(body),
    await verifyV4(idkit4Result(body)),
    await platform.post('/api/v1/verify', { ...proof, action_id: id, signal: '' }),
  ]
  for (const reply of await sendAll())
    expect([reply.status, reply.body]).toEqual([
      400,
      {
        code: 'invalid_protocol',
        detail: 'This action accepts only proofs of protocol 4.0.',
        attribute: 'protocol_version',
      },
    ])
  await platform.db.query(query, [id, 'both'])
  expect((await sendAll()).map(({ status }) => status)).toEqual([200, 400, 400])
})

test.each([
  ['protocol 5.0', { protocol_version: '5.0' }, 'protocol_version'],
  ['no protocol', { protocol_version: undefined }, 'protocol_version'],
  ['no responses', { responses: [] }, 'responses'],
  ['five responses', { responses: Array(5).fill({}) }, 'responses'],
  ['no action', { action: undefined }, 'action'],
])('the result of IDKit 4 with %s is rejected', async (_name, change, attribute) => {
  const reply = await verifyV4(idkit4Result(await request(), change))
  expect(reply.status).toBe(400)
  const { code, attribute: reportedAttribute } = Object(reply.body)
  expect(code).toBe('validation_error')
  expect(reportedAttribute).toMatch(new RegExp(`^${attribute}`))
})

test('the result of IDKit 4 with an unknown credential is rejected, and the error has the position', async () => {
  const { action, ...proof } = await request()
  const responses = [{ ...idkit4Response(proof), identifier: 'eye' }]
  expect((await verifyV4({ protocol_version: '3.0', action, responses })).body).toMatchObject({
    code: 'validation_error',
    attribute: 'responses.0.identifier',
  })
})
