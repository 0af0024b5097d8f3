import { expect, test } from 'vitest'
import { readRequestLog } from '../../support/hasura/read-request-log.ts'
import {
  makeAction4,
  makeApp4,
  platform,
  response4,
  result4,
  setTheScene4,
} from '../../support/webhooks/verify/protocol-4-scene.ts'

setTheScene4()

test('a result of protocol 4.0 without a valid proof is logged with the reason for each proof', async () => {
  const app = await makeApp4()
  await makeAction4({}, app)
  const result = await result4({ appId: app, nonce: 5n, nullifier: 77n })
  const outdated = await response4({ appId: app, nonce: 5n, nullifier: 77n, expires: 1n })
  const [valid] = result.responses
  const wrong = { ...valid, signal_hash: '0x1' }
  const body = { ...result, responses: [wrong, outdated, wrong] }
  const answer = await platform.post(`/api/v4/verify/${app}`, body)
  expect(answer.body).toMatchObject({ code: 'all_verifications_failed' })
  expect(await readRequestLog(platform.db, app, 1)).toMatchObject([
    {
      endpoint: '/api/v4/verify',
      code: 'all_verifications_failed',
      reasons: ['invalid_proof', 'outdated_nullifier'],
    },
  ])
})

test("a refusal of protocol 4.0 enters the log of the relying party's app", async () => {
  const app = await makeApp4({ is_staging: false })
  const { rows } = await platform.db.query('select rp_id from app where id = $1', [app])
  await platform.post(`/api/v4/verify/${rows[0].rp_id}`, await result4({ appId: app }))
  expect(await readRequestLog(platform.db, app, 1)).toMatchObject([
    { code: 'validation_error', attribute: 'environment' },
  ])
})
