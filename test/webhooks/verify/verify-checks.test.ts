import { describe, expect, test } from 'vitest'
import { formatField, hashToField } from '../../../lib/proof/encoding.ts'
import { r } from '../../../lib/proof/field.ts'
import { post } from '../../support/webhooks/start-platform.ts'
import {
  app,
  createChangedApp,
  platform,
  publish,
  ROOT,
  request,
  setTheSceneApart,
  team,
  verify,
} from '../../support/webhooks/verification-scene.ts'

setTheSceneApart()

describe('the checks of a verification run in their order', () => {
  test.each([
    ['/api/v2/verify/', 'required'],
    ['/api/v2/verify', 'required'],
  ])('a verification without an app id gets 400: POST %s', async (path, code) => {
    const reply = await platform.post(path, 'not JSON')
    expect(reply).toMatchObject({ status: 400, body: { code, attribute: 'app_id' } })
  })

  test('a body that is not JSON is rejected before the app is looked up', async () => {
    const reply = await platform.post('/api/v2/verify/app_unknown', 'not JSON')
    expect(reply).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
  })

  test.each([
    ['nullifier_hash', undefined],
    ['nullifier_hash', ''],
    ['nullifier_hash', '0x'],
    ['nullifier_hash', `0x${'f'.repeat(65)}`],
    ['nullifier_hash', ' 0x1'],
    ['nullifier_hash', '0x1\n'],
    ['nullifier_hash', 1],
    ['proof', undefined],
    ['proof', null],
    ['proof', ['0x']],
    ['merkle_root', undefined],
    ['merkle_root', {}],
    ['verification_level', undefined],
    ['verification_level', 'Orb'],
    ['verification_level', 'phone'],
    ['action', undefined],
    ['action', null],
    ['action', 7],
    ['signal_hash', 'abc'],
    ['signal_hash', '0x'],
    ['signal_hash', null],
    ['max_age', 3_599],
    ['max_age', 604_801],
    ['max_age', 3_600.5],
    ['max_age', '3600'],
  ])('the schema is checked before the app is looked up: %s is %j', async (field, value) => {
    const body = { ...(await request()), [field]: value }
    expect(await verify(body, 'app_unknown')).toMatchObject({
      status: 400,
      body: { code: 'validation_error', attribute: field },
    })
  })

  test.each([
    ['an unknown app', async () => `app_${'0'.repeat(32)}`],
    ['SQL instead of an id', async () => "app'; drop table app; --"],
    ['an id with a zero byte', async () => 'app\0'],
    ['an id of 10,000 characters', async () => 'a'.repeat(10_000)],
    ['an archived app', () => createChangedApp('is_archived = true')],
    ['an inactive app', () => createChangedApp("status = 'inactive'")],
  ])('a verification for %s gets 404', async (_name, find) => {
    expect(await verify(await request(), await find())).toMatchObject({
      status: 404,
      body: { code: 'not_found', attribute: 'app_id' },
    })
  })

  test('an action that the app does not have is rejected before the engine is checked', async () => {
    const id = await createChangedApp("engine = 'on-chain'")
    expect(await verify({ ...(await request()), action: 'nope' }, id)).toMatchObject({
      status: 400,
      body: { code: 'invalid_action', attribute: 'action' },
    })
  })

  test('an on-chain app is rejected before the status of the action is checked', async () => {
    const id = await createChangedApp("engine = 'on-chain'")
    await platform.db.query("update action set status = 'inactive' where app_id = $1", [id])
    expect(await verify(await request(), id)).toMatchObject({
      status: 400,
      body: { code: 'invalid_engine', attribute: 'engine' },
    })
  })

  test('an inactive action is rejected before the limit is checked', async () => {
    const body = await request({ action: 'closed' })
    const action = await platform.action(app, { action: 'closed' })
    await verify(body)
    await platform.db.query("update action set status = 'inactive' where id = $1", [action])
    expect(await verify(body)).toMatchObject({
      status: 400,
      body: { code: 'action_inactive', attribute: 'status' },
    })
  })

  test('the limit is checked before the proof is decoded', async () => {
    const body = await request({ nullifier: 1234n })
    await verify(body)
    expect(await verify({ ...body, proof: '0x' })).toMatchObject({
      status: 400,
      body: { code: 'max_verifications_reached' },
    })
  })

  test.each([
    ['proof', ''],
    ['proof', '0x1234'],
    ['proof', `0x${'g'.repeat(512)}`],
    ['proof', `0x${'0'.repeat(514)}`],
    ['proof', '[[1,2],[3,4]]'],
    ['merkle_root', ''],
    ['merkle_root', '0xzz'],
    ['merkle_root', formatField(r)],
    ['merkle_root', `0x${'0'.repeat(65)}`],
    ['nullifier_hash', formatField(r)],
    ['nullifier_hash', `0x${'f'.repeat(64)}`],
    ['signal_hash', `0x${'f'.repeat(64)}`],
    ['signal_hash', `0x${'0'.repeat(65)}`],
  ])('the format is checked before the root is looked up: %s is %s', async (field, value) => {
    const body = { ...(await request({ root: 1n })), [field]: value }
    expect(await verify(body)).toMatchObject({
      status: 400,
      body: { code: 'invalid_format', attribute: field },
    })
  })

  test('an unknown root is rejected before the proof is verified', async () => {
    const body = { ...(await request()), merkle_root: formatField(ROOT + 1n) }
    expect(await verify(body)).toMatchObject({
      status: 400,
      body: { code: 'invalid_merkle_root', attribute: 'merkle_root' },
    })
  })

  test('a root of the production group is rejected for a staging app', async () => {
    await publish(31n, 'production')
    expect(await verify(await request({ root: 31n }))).toMatchObject({
      body: { code: 'invalid_merkle_root' },
    })
  })

  test('a root is rejected once it was superseded longer ago than the limit or max_age', async () => {
    await publish(51n)
    await publish(ROOT)
    const body = await request({ action: '', root: 51n })
    const verifyLater = async (seconds: number, max_age?: number) => {
      platform.clock.aheadMs = seconds * 1_000
      return Object((await verify({ ...body, ...(max_age && { max_age }) })).body)
    }
    expect(await verifyLater(0, 3_600)).toMatchObject({ success: true })
    expect(await verifyLater(3_700)).toMatchObject({ success: true })
    expect(await verifyLater(3_700, 3_600)).toMatchObject({
      code: 'root_too_old',
      attribute: 'merkle_root',
    })
    expect(await verifyLater(604_000)).toMatchObject({ success: true })
    expect(await verifyLater(605_000)).toMatchObject({ code: 'root_too_old' })
    platform.clock.aheadMs = 0
  })

  test('max_age can only shorten the allowed age of a root', async () => {
    await publish(52n)
    await publish(ROOT)
    const strict = await platform.anotherInstance({ ROOT_MAX_AGE_SECONDS: '7200' })
    const verifyLater = async (seconds: number, change: object) => {
      platform.clock.aheadMs = seconds * 1_000
      const body = { ...(await request({ action: '', root: 52n })), ...change }
      return Object((await post(`${strict.baseUrl}/api/v2/verify/${app}`, body)).body)
    }
    const tooOld = { code: 'root_too_old', attribute: 'merkle_root' }
    expect(await verifyLater(7_000, { max_age: 604_800 })).toMatchObject({ success: true })
    expect(await verifyLater(7_300, { max_age: 604_800 })).toMatchObject(tooOld)
    expect(await verifyLater(7_300, {})).toMatchObject(tooOld)
    expect(await verifyLater(3_700, { max_age: 3_600 })).toMatchObject(tooOld)
    platform.clock.aheadMs = 0
    await strict.stop()
  })

  test.each([
    ['another nullifier', { nullifier_hash: formatField(5n) }],
    ['another signal', { signal_hash: formatField(hashToField('other')) }],
    ['zeros', { proof: `0x${'0'.repeat(512)}` }],
  ])('a proof with %s is invalid', async (_name, change) => {
    expect(await verify({ ...(await request()), ...change })).toMatchObject({
      status: 400,
      body: { code: 'invalid_proof', attribute: null },
    })
  })

  test('a proof is invalid for another action or another app', async () => {
    await platform.action(app, { action: 'sibling' })
    const other = await platform.app({ team })
    await platform.action(other)
    const body = await request({ nullifier: 77_777n })
    const invalidProof = { status: 400, body: { code: 'invalid_proof' } }
    expect(await verify({ ...body, action: 'sibling' })).toMatchObject(invalidProof)
    expect(await verify(body, other)).toMatchObject(invalidProof)
  })
})
