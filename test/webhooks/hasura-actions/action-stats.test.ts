import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Person, peopleOf } from '../../support/webhooks/people.ts'
import { startTestPlatform, type TestPlatform } from '../../support/webhooks/start-platform.ts'

const STATS = `query ($action: String!, $from: timestamptz!, $to: timestamptz!) {
  action_stats(action_id: $action, from: $from, to: $to) {
    persons verifications days { day persons verifications }
  }
}`

let platform: TestPlatform
let owner: Person
let stranger: Person
let action: string

beforeAll(async () => {
  platform = await startTestPlatform({}, (baseUrl) => ({
    WEBHOOKS_URL: baseUrl,
  }))
  const person = peopleOf(platform)
  owner = await person()
  stranger = await person()
})
afterAll(() => platform.stop())
beforeEach(async () => {
  const app = await platform.app({ team: { id: owner.team, apiKey: '', keyId: '' } })
  action = await platform.action(app)
  await platform.db.query(
    `insert into nullifier (action_id, nullifier_hash, uses, created_at)
    select $1, '0x' || lpad(n::text, 64, '0'), n, at::timestamptz
    from (values
      (1, '2026-01-01T00:00:00Z'), (2, '2026-01-01T23:59:59.999Z'), (3, '2026-01-03T12:00:00Z'), (4, '2026-01-04T00:00:00Z')
    ) as rows (n, at)`,
    [action],
  )
})

describe('action_stats counts people and verifications by day', () => {
  test('action_stats counts each person on the day of the first verification, excluding the end of the period', async () => {
    const period = { from: '2026-01-01', to: '2026-01-04T00:00:00Z' }
    expect(await owner.graphql(STATS, { action, ...period })).toEqual({
      data: {
        action_stats: {
          persons: 3,
          verifications: 6,
          days: [
            { day: '2026-01-01', persons: 2, verifications: 3 },
            { day: '2026-01-03', persons: 1, verifications: 3 },
          ],
        },
      },
    })
  })

  test('action_stats is empty for a period without verifications', async () => {
    const period = { from: '2025-01-01', to: '2025-01-02' }
    expect((await owner.graphql(STATS, { action, ...period })).data.action_stats).toEqual({
      persons: 0,
      verifications: 0,
      days: [],
    })
  })

  test("action_stats returns not_found for another team's action", async () => {
    const period = { from: '2026-01-01', to: '2026-01-04' }
    expect(codeOf(await stranger.graphql(STATS, { action, ...period }))).toBe('not_found')
  })

  test("action_stats answers an API key of the action's team, but not a key of another team", async () => {
    const ask = async (caller: Person) => {
      const creation = await caller.graphql(
        `mutation { create_api_key(team_id: "${caller.team}", name: "Key") { api_key } }`,
      )
      const headers = { authorization: `Bearer ${creation.data.create_api_key.api_key}` }
      const variables = { action, from: '2026-01-01', to: '2026-01-04' }
      return (await platform.post('/v1/graphql', { query: STATS, variables }, headers)).body
    }
    expect(await ask(owner)).toMatchObject({
      data: { action_stats: { persons: 3, verifications: 6 } },
    })
    expect(codeOf(Object(await ask(stranger)))).toBe('not_found')
  })

  test.each([
    ['2026-01-02', '2026-01-01'],
    ['2026-01-01', '2026-01-01'],
    ['2026-01-01', '2027-01-03'],
    ['yesterday', '2026-01-01'],
  ])('action_stats rejects the period from %s to %s', async (from, to) => {
    expect(codeOf(await owner.graphql(STATS, { action, from, to }))).toBe('validation_error')
  })

  test('action_stats reads a time without an offset as UTC, regardless of the time zone of the database', async () => {
    const { rows } = await platform.db.query('select current_database() as name')
    const period = { from: '2026-01-01', to: '2026-01-04T00:00:00' }
    const before = await owner.graphql(STATS, { action, ...period })
    await platform.db.query(`alter database "${rows[0].name}" set timezone = 'America/Los_Angeles'`)
    await platform.db.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and usename = 'hasura'`,
    )
    await expect
      .poll(async () => (await owner.graphql('{ user { id } }', {})).data)
      .toEqual({ user: [{ id: owner.id }] })
    expect(await owner.graphql(STATS, { action, ...period })).toEqual(before)
    expect(before.data.action_stats.persons).toBe(3)
  })
})

function codeOf(answer: { errors?: [{ extensions: { code: string } }] }) {
  return answer.errors?.[0].extensions.code
}
