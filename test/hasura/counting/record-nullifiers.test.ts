import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, database } from '../../support/database.ts'
import { makeAction, makeApp, makeTeam, type Team } from '../../support/webhooks/platform-rows.ts'

let db: Database
let team: Team

beforeAll(async () => {
  db = await database('platform')
  team = await makeTeam(db)
})
afterAll(() => db.drop())

describe('record_nullifier counts a person within the limit', () => {
  test.each([
    [1, [1]],
    [2, [1, 2]],
    [0, [1, 2, 3, 4]],
  ])('with a limit of %i, four calls count %j', async (limit, uses) => {
    const action = await makeAction(db, await appOfTeam(), { max_verifications: limit })
    const counts: number[] = []
    for (let i = 0; i < 4; i++)
      counts.push(...(await record(action, hash(7))).map((row) => row.uses))
    expect(counts).toEqual(uses)
  })

  test('record_nullifier keeps the time of the first verification', async () => {
    const action = await makeAction(db, await appOfTeam(), { max_verifications: 2 })
    const [first] = await record(action, hash(1))
    const [second] = await record(action, hash(1))
    expect(second?.created_at).toEqual(first?.created_at)
  })

  test('one nullifier is counted separately in two actions', async () => {
    const app = await appOfTeam()
    const action = await makeAction(db, app, { max_verifications: 1 })
    const other = await makeAction(db, await appOfTeam(), { max_verifications: 1 })
    expect(await record(action, hash(2))).toHaveLength(1)
    expect(await record(other, hash(2))).toHaveLength(1)
  })

  test('a person has a fixed id in each action', async () => {
    const app = await appOfTeam()
    const [firstAction, other] = [
      await makeAction(db, app, { max_verifications: 0 }),
      await makeAction(db, await appOfTeam(), { max_verifications: 0 }),
    ]
    for (const action of [firstAction, firstAction, other]) await record(action, hash(4))
    const { rows } = await db.query<{ id: string }>(
      'select nullifier_id(nullifier) as id from nullifier where nullifier_hash = $1',
      [hash(4)],
    )
    expect(rows).toHaveLength(2)
    for (const { id } of rows) expect(id).toMatch(/^nil_[0-9a-f]{32}$/)
    expect(new Set(rows.map(({ id }) => id)).size).toBe(2)
  })

  test('record_nullifier rejects a nullifier that is not canonical', async () => {
    const action = await makeAction(db, await appOfTeam(), { max_verifications: 0 })
    await expect(record(action, hash(10).toUpperCase())).rejects.toMatchObject({ code: '23514' })
  })

  test('record_nullifier records nothing for an inactive action', async () => {
    const action = await makeAction(db, await appOfTeam(), { max_verifications: 0 })
    await db.query("update action set status = 'inactive' where id = $1", [action])
    expect(await record(action, hash(3))).toEqual([])
  })
})

describe('record_nullifiers counts several people within their limits', () => {
  type Verification = [action: string, nullifierHash: string]

  const recordAll = async (people: Verification[], connection: Pick<Pool, 'query'> = db) => {
    const verifications = people.map(([action_id, nullifier_hash]) => ({
      action_id,
      nullifier_hash,
      protocol: '3.0',
    }))
    const { rows } = await connection.query<{
      action_id: string
      nullifier_hash: string
      uses: number
    }>('select action_id, nullifier_hash, uses from record_nullifiers($1)', [
      JSON.stringify(verifications),
    ])
    return rows.map((row) => [row.action_id, row.nullifier_hash, row.uses])
  }

  test('record_nullifiers counts each entry up to its limit', async () => {
    const once = await makeAction(db, await appOfTeam(), { max_verifications: 1 })
    const twice = await makeAction(db, await appOfTeam(), { max_verifications: 2 })
    const person = hash(21)
    const rows = await recordAll([
      [twice, person],
      [once, person],
      [twice, person],
      [once, person],
      [twice, person],
      [twice, hash(22)],
      ['action_unknown', person],
    ])
    expect(rows.toSorted()).toEqual(
      [
        [once, person, 1],
        [twice, person, 1],
        [twice, person, 2],
        [twice, hash(22), 1],
      ].toSorted(),
    )
  })

  test('concurrent calls with the same people never deadlock', async () => {
    const action = await makeAction(db, await appOfTeam(), { max_verifications: 0 })
    const people = Array.from({ length: 30 }, (_, n): [string, string] => [action, hash(100 + n)])
    // Several connections, since a connection runs its calls one after another.
    const pool = new Pool({ connectionString: db.url, max: 8 })
    const rounds = Array.from({ length: 20 }, (_, round) =>
      recordAll(round % 2 ? people : people.toReversed(), pool),
    )
    const rows = (await Promise.all(rounds)).flat()
    await pool.end()
    expect(rows.filter(([, , uses]) => uses === 20)).toHaveLength(30)
  })

  test('record_nullifiers counts nothing for an empty list', async () => {
    expect(await recordAll([])).toEqual([])
  })
})

function appOfTeam() {
  return makeApp(db, { team })
}

async function record(action: string, nullifierHash: string) {
  const { rows } = await db.query<{ uses: number; created_at: Date }>(
    "select uses, created_at from record_nullifier($1, $2, '3.0')",
    [action, nullifierHash],
  )
  return rows
}

function hash(n: number): string {
  return `0x${n.toString(16).padStart(64, '0')}`
}
