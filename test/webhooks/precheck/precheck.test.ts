import { describe, expect } from 'vitest'
import { externalNullifier, formatField } from '../../../lib/proof/encoding.ts'
import { r } from '../../../lib/proof/field.ts'
import { test } from '../../support/webhooks/platform-test.ts'
import type { TestPlatform } from '../../support/webhooks/start-platform.ts'

let platform: TestPlatform
let team: Awaited<ReturnType<TestPlatform['team']>>
let app: string

const PERSON = formatField(0xabcn)

test.beforeAll(async ({ platform: shared }) => {
  platform = shared
  team = await platform.team()
  app = await platform.app({ team })
  await platform.action(app)
  await platform.action(app, { action: 'twice', max_verifications: 2 })
  await platform.action(app, { action: 'closed', status: 'inactive' })
})

describe('precheck describes an app and an action', () => {
  test('precheck returns the public fields of the app and the action, and no others', async () => {
    expect((await precheck({ action: 'vote' })).body).toEqual({
      __typename: 'app',
      id: app,
      engine: 'cloud',
      is_staging: true,
      is_verified: false,
      name: 'App',
      verified_app_logo: '',
      is_sign_in: false,
      sign_in_with_world_id: false,
      can_user_verify: 'undetermined',
      action: {
        __typename: 'action',
        name: '',
        action: 'vote',
        description: '',
        max_verifications: 1,
        max_accounts_per_user: 1,
        external_nullifier: formatField(externalNullifier(app, 'vote')),
        status: 'active',
      },
    })
  })

  test.each([true, false])(
    'precheck with is_verified %s returns the logo only of a verified app',
    async (isVerified) => {
      const id = await platform.app({ team })
      const logo = 'https://example.com/logo.png'
      await platform.db.query('update app set logo_url = $2, is_verified = $3 where id = $1', [
        id,
        logo,
        isVerified,
      ])
      expect((await precheck({}, id)).body).toMatchObject({
        is_verified: isVerified,
        verified_app_logo: isVerified ? logo : '',
      })
    },
  )

  test.each([
    ['GET with a query', () => get(`/api/v1/precheck/${app}?action=vote&nullifier_hash=${PERSON}`)],
    ['POST with a query', () => platform.post(`/api/v1/precheck/${app}?action=vote`, {})],
    ['POST without a body', () => platform.post(`/api/v1/precheck/${app}?action=vote`, '')],
    ['POST', () => precheck({ action: 'vote' })],
    [
      'a body that overrides the query',
      () => platform.post(`/api/v1/precheck/${app}?action=x`, { action: 'vote' }),
    ],
  ])('precheck accepts %s', async (_name, send) => {
    expect(await send()).toMatchObject({ status: 200, body: { action: { action: 'vote' } } })
  })

  test.each([
    ['no action', {}],
    ['the empty action', { action: '' }],
  ])('precheck with %s is for sign-in, which every person may do', async (_name, body) => {
    expect((await precheck({ ...body, nullifier_hash: PERSON })).body).toMatchObject({
      is_sign_in: true,
      sign_in_with_world_id: true,
      can_user_verify: 'yes',
      action: { action: '', max_verifications: 0 },
    })
  })

  test.each([
    ['absent', {}],
    ['null', { nullifier_hash: null }],
    ['empty', { nullifier_hash: '' }],
  ])('precheck without a person is undetermined if the nullifier is %s', async (_name, body) => {
    const reply = await precheck({ action: 'vote', ...body })
    expect(reply.body).toMatchObject({ can_user_verify: 'undetermined' })
  })

  test.each([
    ['vote', 0, 'yes'],
    ['vote', 1, 'no'],
    ['twice', 1, 'yes'],
    ['twice', 2, 'no'],
  ])(
    'precheck of the action %s after %i uses returns %s for four spellings of the nullifier',
    async (action, uses, answer) => {
      const nullifier = BigInt(0xface00 + uses)
      await recordUses(action, formatField(nullifier), uses)
      const digits = nullifier.toString(16)
      for (const nullifier_hash of [
        digits,
        digits.toUpperCase(),
        `0x${digits}`,
        formatField(nullifier),
      ])
        expect((await precheck({ action, nullifier_hash })).body).toMatchObject({
          can_user_verify: answer,
        })
    },
  )

  test('precheck always returns yes for an action without a limit', async () => {
    await platform.action(app, { action: 'free', max_verifications: 0 })
    await recordUses('free', PERSON, 9)
    const reply = await precheck({ action: 'free', nullifier_hash: PERSON })
    expect(reply.body).toMatchObject({ can_user_verify: 'yes' })
  })

  test.each([
    ['vote', 'on-chain'],
    ['', 'yes'],
  ])('precheck of the action %j of an on-chain app returns %s', async (action, answer) => {
    const id = await platform.app({ team, engine: 'on-chain' })
    await platform.action(id)
    for (const person of [{}, { nullifier_hash: PERSON }])
      expect((await precheck({ action, ...person }, id)).body).toMatchObject({
        engine: 'on-chain',
        can_user_verify: answer,
      })
  })

  test.each([
    ['an unknown app', { action: 'vote' }, `app_${'0'.repeat(32)}`, 'app_id'],
    ['an action that the app does not have', { action: 'nope' }, undefined, 'action'],
  ])('precheck returns not_found for %s', async (_name, body, id, attribute) => {
    expect(await precheck(body, id)).toMatchObject({
      status: 404,
      body: { code: 'not_found', attribute },
    })
  })

  test.each(['is_archived = true', "status = 'inactive'"])(
    'precheck returns not_found for an app with %s',
    async (change) => {
      const id = await platform.app({ team })
      await platform.db.query(`update app set ${change} where id = $1`, [id])
      expect(await precheck({}, id)).toMatchObject({ status: 404, body: { attribute: 'app_id' } })
    },
  )

  test('precheck returns invalid_protocol for an action that accepts only protocol 4.0', async () => {
    const id = await platform.action(app, { action: 'four' })
    await platform.db.query("update action set protocol = '4.0' where id = $1", [id])
    expect(await precheck({ action: 'four' })).toMatchObject({
      status: 400,
      body: { code: 'invalid_protocol', attribute: 'action' },
    })
  })

  test('precheck returns action_inactive for an inactive action', async () => {
    expect(await precheck({ action: 'closed' })).toMatchObject({
      status: 400,
      body: { code: 'action_inactive', attribute: 'status' },
    })
  })

  test.each([
    ['action', null],
    ['action', 7],
    ['nullifier_hash', 'nobody'],
    ['nullifier_hash', '0x'],
    ['nullifier_hash', 7],
    ['nullifier_hash', formatField(r)],
    ['external_nullifier', 'xyz'],
  ])('precheck rejects %s %j', async (attribute, value) => {
    expect(await precheck({ action: 'vote', [attribute]: value })).toMatchObject({
      status: 400,
      body: { code: 'validation_error', attribute },
    })
  })

  test.each([
    [
      'a repeated field',
      () => get(`/api/v1/precheck/${app}?action=vote&action=twice`),
      'validation_error',
    ],
    [
      'half a body',
      () => platform.post(`/api/v1/precheck/${app}`, '{"action":'),
      'invalid_request',
    ],
    ['no id', () => get('/api/v1/precheck'), 'required'],
    ['no id', () => platform.post('/api/v1/precheck/', {}), 'required'],
  ])('precheck rejects %s', async (_name, send, code) => {
    expect(await send()).toMatchObject({ status: 400, body: { code } })
  })
})

test('simultaneous prechecks each get their own response', async () => {
  const otherApp = await platform.app({ team })
  await platform.action(otherApp)
  await platform.action(otherApp, { action: 'crowded' })
  await platform.action(app, { action: 'crowded' })
  const [first, second] = [formatField(0xcc1n), formatField(0xcc2n)]
  await recordUses('crowded', first, 1)
  const number = formatField(externalNullifier(otherApp, 'crowded'))
  const cases: [string, string, object][] = [
    ['no', app, { action: 'crowded', nullifier_hash: first }],
    ['yes', app, { action: 'crowded', nullifier_hash: second }],
    ['yes', otherApp, { action: 'crowded', nullifier_hash: first }],
    ['undetermined', app, { action: 'crowded' }],
    ['yes', otherApp, { external_nullifier: number, nullifier_hash: first }],
    ['not_found', app, { external_nullifier: number }],
    ['external_nullifier_mismatch', otherApp, { action: 'vote', external_nullifier: number }],
    ['action_inactive', app, { action: 'closed' }],
    ['not_found', otherApp, { action: 'closed' }],
    ['not_found', app, { action: 'a\0b' }],
    ['not_found', app, { action: 'half of a character: \ud83d' }],
    ['not_found', 'app_\0', { action: 'crowded' }],
    ['validation_error', app, { action: 'crowded', nullifier_hash: 'none' }],
  ]
  const requests = Array.from({ length: 8 }, () => cases).flat()
  const answers = await Promise.all(
    requests.map(([, id, body]) => precheck(body, encodeURIComponent(id))),
  )
  const answerCodes = answers.map(({ body }) => Object(body).can_user_verify ?? Object(body).code)
  expect(answerCodes).toEqual(requests.map(([answer]) => answer))
})

function precheck(body: object, id = app) {
  return platform.post(`/api/v1/precheck/${id}`, body)
}

async function get(path: string) {
  const response = await fetch(platform.baseUrl + path)
  return { status: response.status, body: await response.json() }
}

async function recordUses(action: string, nullifierHash: string, times: number) {
  for (let i = 0; i < times; i++)
    await platform.db.query(
      "select from action, record_nullifier(action.id, $3, '3.0') where action.app_id = $1 and action.action = $2",
      [app, action, nullifierHash],
    )
}
