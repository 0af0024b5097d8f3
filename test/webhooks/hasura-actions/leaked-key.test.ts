import { describe, expect } from 'vitest'
import { test } from '../../support/webhooks/platform-test.ts'
import {
  codeOf,
  createKey,
  join,
  owner,
  platform,
  setTheScene,
  stranger,
} from '../../support/webhooks/team-scene.ts'

setTheScene()

describe('the thief of an API key cannot take over the team', () => {
  test('the thief of an API key becomes an admin at most, and the owner can still revoke the key and read the audit trail', async () => {
    const { id, api_key } = (await createKey(owner, owner.team)).data.create_api_key
    await join(stranger, owner.team, 'MEMBER')
    const thiefFilter = `where: {user_id: {_eq: "${stranger.id}"}}`
    const otherMembers = `where: {user_id: {_neq: "${stranger.id}"}}`
    const roleOf = (role: string) => `update_membership(${thiefFilter}, _set: {role: "${role}"})`
    expect(codeOf(await withKey(api_key, roleOf('OWNER')))).toBe('permission-error')
    expect((await withKey(api_key, roleOf('ADMIN'))).data.changed.affected_rows).toBe(1)
    const removal = await withKey(api_key, `delete_membership(${otherMembers})`)
    expect(removal.data.changed.affected_rows).toBe(0)
    const revoke = `mutation { update_api_key_by_pk(pk_columns: {id: "${id}"}, _set: {is_active: false}) { is_active } }`
    expect(codeOf(await stranger.graphql(revoke))).toBe(undefined)
    expect((await stranger.graphql(revoke)).data.update_api_key_by_pk).toBeNull()
    expect((await owner.graphql(revoke)).data.update_api_key_by_pk).toEqual({ is_active: false })
    const { data } = await owner.graphql(
      `{ audit(where: {actor_id: {_eq: "${id}"}, subject: {_eq: "membership"}}) { operation changes } }`,
    )
    expect(data.audit).toMatchObject([
      { operation: 'update', changes: { role: { old: 'MEMBER', new: 'ADMIN' } } },
    ])
  })
})

async function withKey(apiKey: string, mutation: string) {
  const query = `mutation { changed: ${mutation} { affected_rows } }`
  const headers = { authorization: `Bearer ${apiKey}` }
  return Object((await platform.post('/v1/graphql', { query }, headers)).body)
}
