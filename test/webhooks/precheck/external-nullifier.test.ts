import { describe, expect } from 'vitest'
import { externalNullifier, formatField } from '../../../lib/proof/encoding.ts'
import { test } from '../../support/webhooks/platform-test.ts'
import type { TestPlatform } from '../../support/webhooks/start-platform.ts'

let platform: TestPlatform
let app: string
let vote: string

test.beforeAll(async ({ platform: shared }) => {
  platform = shared
  app = await platform.app({ team: await platform.team() })
  vote = await platform.action(app)
  await platform.action(app, { action: 'twice', max_verifications: 2 })
})

describe('precheck finds an action by its external nullifier', () => {
  const external = (action: string) => formatField(externalNullifier(app, action))

  test.each(['', 'vote'])(
    'precheck finds an action by its external nullifier, with the action name %j',
    async (action) => {
      const reply = await precheck({ action, external_nullifier: external('vote') })
      expect(reply).toMatchObject({ status: 200, body: { action: { action: 'vote' } } })
    },
  )

  test('precheck accepts any spelling of an external nullifier, and finds an action whose column is filled', async () => {
    await platform.db.query('update action set external_nullifier = $2 where id = $1', [
      vote,
      external('vote'),
    ])
    for (const spelling of [external('vote'), external('vote').slice(2).toUpperCase()])
      expect(await precheck({ external_nullifier: spelling })).toMatchObject({
        body: { action: { action: 'vote' } },
      })
  })

  test.each([
    ['the action vote', 'twice', () => external('vote')],
    ['no action', 'vote', () => formatField(1n)],
  ])(
    'precheck rejects the external nullifier of %s with the action %s as a mismatch',
    async (_name, action, find) => {
      expect(await precheck({ action, external_nullifier: find() })).toMatchObject({
        status: 400,
        body: { code: 'external_nullifier_mismatch', attribute: 'external_nullifier' },
      })
    },
  )

  test.each([
    ['no action', () => formatField(1n)],
    ['an action of another app', () => formatField(externalNullifier('app_1', 'vote'))],
  ])('precheck returns not_found for the external nullifier of %s', async (_name, find) => {
    expect(await precheck({ external_nullifier: find() })).toMatchObject({
      status: 404,
      body: { code: 'not_found', attribute: 'external_nullifier' },
    })
  })
})

function precheck(body: object) {
  return platform.post(`/api/v1/precheck/${app}`, body)
}
