import { describe, expect } from 'vitest'
import { PASSWORD } from '../../support/webhooks/mailboxes.ts'
import { someoneWaits, whileDeleting } from '../../support/webhooks/people.ts'
import { test } from '../../support/webhooks/platform-test.ts'
import {
  codeOf,
  createKey,
  join,
  makeApp,
  makeKey,
  owner,
  person,
  platform,
  setTheScene,
  stranger,
  teamsOf,
} from '../../support/webhooks/team-scene.ts'

setTheScene()

describe('delete_account deletes an account and the teams without other members', () => {
  const DELETE = `mutation { delete_account(password: "${PASSWORD}") { success } }`

  test('delete_account rejects a missing and a wrong password', async () => {
    const mutationWithoutPassword = 'mutation { delete_account { success } }'
    expect(codeOf(await owner.graphql(mutationWithoutPassword))).toBe('validation-failed')
    const wrongMutation = 'mutation { delete_account(password: "guess-guess") { success } }'
    expect(await owner.graphql(wrongMutation)).toMatchObject({
      errors: [{ message: 'The password is wrong.', extensions: { code: 'invalid_credentials' } }],
    })
    expect((await owner.graphql('{ user { id } }')).data.user).toEqual([{ id: owner.id }])
  })

  test('delete_account rejects a password that is changed at the same moment', async () => {
    await platform.db.query('begin')
    await platform.db.query(`update "user" set password_hash = 'x' where id = $1`, [owner.id])
    const answer = owner.graphql(DELETE)
    await someoneWaits(platform, 'delete_account')
    await platform.db.query('commit')
    expect(codeOf(await answer)).toBe('invalid_credentials')
    expect((await owner.graphql('{ user { id } }')).data.user).toEqual([{ id: owner.id }])
  })

  test('delete_account deletes the account and the teams without other members', async () => {
    const { api_key } = await makeKey()
    const app = await makeApp(owner.team)
    expect(await owner.graphql(DELETE)).toEqual({ data: { delete_account: { success: true } } })
    expect((await owner.graphql('{ user { id } }')).errors[0].extensions.code).toBe('access-denied')
    expect(await teamsOf(api_key)).toMatchObject({ errors: [{}] })
    const { rows } = await platform.db.query(
      `select is_archived, deleted_at is not null as deleted,
        (select count(*)::int from "user" where id = $2) as people
      from app join team on team.id = team_id where app.id = $1`,
      [app, owner.id],
    )
    expect(rows).toEqual([{ is_archived: true, deleted: true, people: 0 }])
  })

  test('delete_account is rejected for the last owner of a team with other members', async () => {
    await join(stranger, owner.team, 'ADMIN')
    expect(codeOf(await owner.graphql(DELETE))).toBe('last_owner')
    await platform.db.query(
      "update membership set role = 'OWNER' where user_id = $1 and team_id = $2",
      [stranger.id, owner.team],
    )
    expect(await owner.graphql(DELETE)).toEqual({ data: { delete_account: { success: true } } })
    const { data } = await stranger.graphql(`{ team(where: {id: {_eq: "${owner.team}"}}) { id } }`)
    expect(data.team).toEqual([{ id: owner.team }])
  })

  test('create_api_key returns permission_denied, and leaves no key, while the account of its caller is deleted', async () => {
    const answer = await whileDeleting(
      platform,
      owner,
      () => createKey(owner, owner.team),
      'create_api_key',
    )
    expect(codeOf(answer)).toBe('permission_denied')
    const { rows } = await platform.db.query(
      'select from api_key where team_id = $1 and is_active',
      [owner.team],
    )
    expect(rows).toEqual([])
  })

  test('two simultaneous calls of delete_account both succeed', async () => {
    const deleteAgain = () => owner.graphql(DELETE)
    const secondAnswer = await whileDeleting(platform, owner, deleteAgain, 'delete_account')
    expect(secondAnswer).toEqual({ data: { delete_account: { success: true } } })
  })

  test('one of two owners who delete their accounts at the same moment gets last_owner', async () => {
    const third = await person()
    await join(third, owner.team, 'MEMBER')
    await join(stranger, owner.team, 'OWNER')
    const answers = await Promise.all([owner, stranger].map((each) => each.graphql(DELETE)))
    expect(answers.map((answer) => codeOf(answer) ?? 'done').toSorted()).toEqual([
      'done',
      'last_owner',
    ])
  })
})
