import { describe, expect } from 'vitest'
import { test } from '../../support/webhooks/platform-test.ts'
import {
  codeOf,
  createKey,
  join,
  makeKey,
  owner,
  platform,
  setTheScene,
  stranger,
  teamsOf,
} from '../../support/webhooks/team-scene.ts'

setTheScene()

describe('an owner manages API keys', () => {
  test('an API key that an owner creates works, and its secret is not stored', async () => {
    const { id, api_key } = await makeKey()
    expect(await teamsOf(api_key)).toEqual({ data: { team: [{ id: owner.team }] } })
    const { rows } = await platform.db.query(
      'select secret_hash, api_key.*::text as row from api_key where id = $1',
      [id],
    )
    const secret = Buffer.from(api_key.slice(4), 'base64url').toString().split(':')[1]
    expect(rows[0].row).not.toContain(secret)
    const keyList = await owner.graphql('{ api_key { id name is_active } }')
    expect(keyList.data.api_key).toEqual([{ id, name: 'Key', is_active: true }])
  })

  test('a reset gives an API key a new secret and disables the old one', async () => {
    const { id, api_key } = await makeKey()
    const answer = await owner.graphql(`mutation { reset_api_key(id: "${id}") { api_key } }`)
    const newKey = answer.data.reset_api_key.api_key
    expect(newKey).not.toBe(api_key)
    expect(await teamsOf(newKey)).toEqual({ data: { team: [{ id: owner.team }] } })
    expect(await teamsOf(api_key)).toMatchObject({ errors: [{}] })
  })

  test('a revoked API key stops working at once, and a reset does not reactivate it', async () => {
    const { id, api_key } = await makeKey()
    const revoke = `mutation { update_api_key_by_pk(pk_columns: {id: "${id}"}, _set: {is_active: false}) { is_active } }`
    expect((await owner.graphql(revoke)).data.update_api_key_by_pk).toEqual({ is_active: false })
    expect(await teamsOf(api_key)).toMatchObject({ errors: [{}] })
    const reset = await owner.graphql(`mutation { reset_api_key(id: "${id}") { api_key } }`)
    expect(codeOf(reset)).toBe('permission_denied')
  })

  test.each(['ADMIN', 'MEMBER', null])(
    'an API key can be neither created nor reset by a user with the role %s',
    async (role) => {
      const { id } = await makeKey()
      if (role) await join(stranger, owner.team, role)
      expect(codeOf(await createKey(stranger, owner.team))).toBe('permission_denied')
      const reset = await stranger.graphql(`mutation { reset_api_key(id: "${id}") { api_key } }`)
      expect(codeOf(reset)).toBe('permission_denied')
    },
  )

  test.each(['team_none', "' or true --", '\u0000'])(
    'an API key cannot be created for the team %j',
    async (team) => {
      expect(codeOf(await createKey(owner, team))).toMatch(/permission_denied|validation_error/)
    },
  )
})
