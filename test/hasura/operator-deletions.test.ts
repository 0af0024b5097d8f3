import { beforeAll, describe, expect, test } from 'vitest'
import { latestRecord, readTrail, reviewerRecord } from '../support/hasura/audit-records.ts'
import { project, setTheScene, TEAM } from '../support/hasura/own-team-scene.ts'
import { teamRowId } from '../support/hasura/team-rows.ts'
import { createOperator, type Operator } from '../support/operations/operator-commands.ts'

// Runs the commands of docs/operations/tasks.md that delete a person or a user.

const OWNER = teamRowId('mine', 'usr', 1)
const ADMIN = teamRowId('mine', 'usr', 2)
const ACTION = teamRowId('mine', 'action', 1)
const PERSON = `0x${'a'.repeat(63)}1`

let operator: Operator

setTheScene()
beforeAll(async () => {
  const adminSecret = project.headers['x-hasura-admin-secret'] ?? ''
  operator = await createOperator({ url: project.url, adminSecret })
})

describe('delete-person deletes the rows of a nullifier, and records no nullifier', () => {
  test.each([
    ['canonical', PERSON],
    ['in upper case', PERSON.toUpperCase().replace('0X', '0x')],
  ])('a nullifier that is %s is deleted, and other people stay', async (_name, hash) => {
    const response = await operator.run('delete-person', { NULLIFIER_HASH: hash })
    expect(response.data.delete_person).toEqual([
      {
        subject_id: ACTION,
        team_id: TEAM,
        changes: { uses: { old: 2 }, counted_requests: { old: 0 } },
      },
    ])
    const people = await project.rows(
      `select nullifier_hash from nullifier where action_id = '${ACTION}' order by 1`,
    )
    expect(people).toEqual([2, 3].map((n) => [`0x${'a'.repeat(63)}${n}`]))
    expect(await latestRecord()).toEqual(
      reviewerRecord({
        team_id: TEAM,
        operation: 'delete',
        subject: 'person',
        subject_id: ACTION,
        changes: { uses: { old: 2 }, counted_requests: { old: 0 } },
      }),
    )
    const again = await operator.run('delete-person', { NULLIFIER_HASH: hash })
    expect(again.data.delete_person).toEqual([])
  })

  test('a nullifier with leading zeros may be written without them', async () => {
    await project.sql(
      `insert into nullifier (action_id, nullifier_hash) values ('${ACTION}', '0x${'7'.padStart(64, '0')}')`,
    )
    const response = await operator.run('delete-person', { NULLIFIER_HASH: '0x7' })
    expect(response.data.delete_person).toMatchObject([{ changes: { uses: { old: 1 } } }])
  })

  test('another text is refused with the text, and deletes nothing', async () => {
    for (const hash of ['%', '', `${PERSON}0`, '2748']) {
      const { errors } = await operator.run('delete-person', { NULLIFIER_HASH: hash })
      expect(errors[0].message).toBe(
        `nullifier_hash must be 0x and 1 to 64 hex digits; got ${hash}`,
      )
    }
    const [count] = await project.rows(
      `select count(*) from nullifier where action_id = '${ACTION}'`,
    )
    expect(count).toEqual(['3'])
  })
})

describe('delete-user deletes an account with its memberships', () => {
  test('the account of an admin is deleted, and the audit trail has no address', async () => {
    const response = await operator.run('delete-user', { USER_ID: ADMIN })
    expect(response.data.delete_user_account).toMatchObject([
      { subject_id: ADMIN, changes: { teams: { old: 1 } } },
    ])
    expect(await project.rows(`select id from "user" where id = '${ADMIN}'`)).toEqual([])
    const records = await readTrail(`changes::text || subject_id like '%${ADMIN}%'`)
    expect(records).toContainEqual(
      reviewerRecord({
        operation: 'delete',
        subject: 'user',
        subject_id: ADMIN,
        changes: expect.anything(),
      }),
    )
    expect(JSON.stringify(records)).not.toContain('admin@mine.example')
    const again = await operator.run('delete-user', { USER_ID: ADMIN })
    expect(again.data.delete_user_account).toEqual([])
  })

  test('the last owner of a team with members is refused until make-owner names another owner', async () => {
    const { errors } = await operator.run('delete-user', { USER_ID: OWNER })
    expect(errors[0].message).toBe(
      `the user ${OWNER} is the last owner of a team with other members: make another member an owner first`,
    )
    expect(await operator.run('make-owner', { NEW_OWNER_ID: ADMIN, TEAM })).toEqual({
      data: { update_membership: { affected_rows: 1 } },
    })
    const response = await operator.run('delete-user', { USER_ID: OWNER })
    expect(response.data.delete_user_account).toHaveLength(1)
  })
})
