import { expect } from 'vitest'
import { rpIdOfApp } from '../../../lib/proof/protocol-4/rp-id.ts'
import { test } from '../../support/webhooks/platform-test.ts'
import type { TestPlatform } from '../../support/webhooks/start-platform.ts'

let platform: TestPlatform
let team: Awaited<ReturnType<TestPlatform['team']>>

const ADDRESS = `0x${'a1'.repeat(20)}`

test.beforeAll(async ({ platform: shared }) => {
  platform = shared
  team = await platform.team()
})

test.each([true, false])(
  'an app with is_staging %s is pending without a key, then registered, then deactivated',
  async (is_staging) => {
    const app = await platform.app({ team, is_staging })
    const expected = (status: string, signer_address: string | null) => ({
      production_status: status,
      staging_status: is_staging ? status : null,
      signer_address,
    })
    expect(await read(rpIdOfApp(app))).toMatchObject({ body: expected('pending', null) })
    await platform.db.query('insert into request_key (app_id, address) values ($1, $2)', [
      app,
      ADDRESS,
    ])
    expect(await read(rpIdOfApp(app))).toEqual({
      status: 200,
      body: expected('registered', ADDRESS),
    })
    await platform.db.query('update app set is_archived = true where id = $1', [app])
    expect(await read(rpIdOfApp(app))).toMatchObject({ body: expected('deactivated', ADDRESS) })
  },
)

test('rp-status returns the address of the newest key, also for an rp id in upper case', async () => {
  const app = await platform.app({ team })
  for (const digit of ['1', '2', '3'])
    await platform.db.query('select store_request_key($1, $2, true, null, $3)', [
      app,
      `0x${digit.repeat(40)}`,
      team.keyId,
    ])
  const rpId = `rp_${rpIdOfApp(app).slice(3).toUpperCase()}`
  expect((await read(rpId)).body).toMatchObject({ signer_address: `0x${'3'.repeat(40)}` })
})

test.each([
  ['rp_0000000000000000', 404, 'not_found'],
  ['app_1', 400, 'invalid_request'],
  ['rp_', 400, 'invalid_request'],
  ['rp_00000000000000001', 400, 'invalid_request'],
  ['rp_000000000000000%00', 400, 'invalid_request'],
  [`rp_${'0'.repeat(4_000)}`, 400, 'invalid_request'],
  ["rp_0000000000000000'--", 400, 'invalid_request'],
])('rp-status answers %s with %i %s', async (rpId, status, code) => {
  expect(await read(rpId)).toMatchObject({ status, body: { code, attribute: 'rp_id' } })
})

async function read(rpId: string) {
  const response = await fetch(`${platform.baseUrl}/api/v4/rp-status/${rpId}`)
  return { status: response.status, body: await response.json() }
}
