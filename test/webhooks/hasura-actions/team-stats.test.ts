import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Person, peopleOf } from '../../support/webhooks/people.ts'
import { startTestPlatform, type TestPlatform } from '../../support/webhooks/start-platform.ts'

const STATS = `query ($team: String!, $action: String, $hours: Int!, $spans: Int!) {
  team_stats(team_id: $team, action_id: $action, hours: $hours, spans: $spans) {
    from to persons verifications latest actions { id action name app_name persons } counts { since action_id persons }
  }
}`
const PERIOD = { hours: 24, spans: 2 }
const HOUR_MS = 3_600_000
/** The beginning of this day (UTC). */
const TODAY = Math.floor(Date.now() / (24 * HOUR_MS)) * 24 * HOUR_MS
const YESTERDAY_NOON = isoTime(TODAY - 12 * HOUR_MS)
/** The actions of the team besides sign-in. Action n has n people, all yesterday. */
const ACTIONS = 10

let platform: TestPlatform
let owner: Person
let stranger: Person
let app: string
const actionIds: string[] = []

beforeAll(async () => {
  platform = await startTestPlatform({}, (baseUrl) => ({ WEBHOOKS_URL: baseUrl }))
  const person = peopleOf(platform)
  owner = await person()
  stranger = await person()
  app = await platform.app({ team: { id: owner.team, apiKey: '', keyId: '' } })
  for (let number = 1; number <= ACTIONS; number += 1) {
    const action = await platform.action(app, { action: `action-${number}` })
    actionIds.push(action)
    await addPeople(action, number, YESTERDAY_NOON)
  }
  const { rows } = await platform.db.query<{ id: string }>(
    "select id from action where app_id = $1 and action = ''",
    [app],
  )
  await addPeople(rows[0]?.id ?? '', 20, isoTime(TODAY))
  await addPeople(rows[0]?.id ?? '', 1, isoTime(TODAY - 24 * HOUR_MS - 1))
})
afterAll(() => platform.stop())

describe('team_stats counts people by action and span of hours', () => {
  test('team_stats names the busiest actions, with sign-ins, and counts all others together', async () => {
    const { data } = await owner.graphql(STATS, { team: owner.team, ...PERIOD })
    const { from, to, persons, actions, counts, latest } = data.team_stats
    expect(persons).toBe(55 + 20)
    expect(actions.map(({ persons: count }: { persons: number }) => count)).toEqual([
      20, 10, 9, 8, 7, 6, 5, 4,
    ])
    expect(actions[0]).toMatchObject({ action: '', name: 'Sign in' })
    expect(counts.filter(({ action_id }: { action_id: unknown }) => !action_id)).toEqual([
      { since: inHasura(TODAY - 24 * HOUR_MS), action_id: null, persons: 1 + 2 + 3 },
    ])
    expect(counts.at(-1)).toMatchObject({ since: inHasura(TODAY), persons: 20 })
    expect([from, to]).toEqual([isoTime(TODAY - 24 * HOUR_MS), isoTime(TODAY + 24 * HOUR_MS)])
    expect(latest).toBe(inHasura(TODAY))
  })

  test('team_stats counts the people and verifications of one action by the hour', async () => {
    const action = actionIds[2]
    const variables = { team: owner.team, action, hours: 1, spans: 48 }
    expect((await owner.graphql(STATS, variables)).data.team_stats).toMatchObject({
      persons: 3,
      verifications: 1 + 2 + 3,
      actions: [{ id: action, persons: 3 }],
      counts: [{ since: inHasura(TODAY - 12 * HOUR_MS), action_id: action, persons: 3 }],
    })
  })

  test('team_stats of an action without people names the action', async () => {
    const action = await platform.action(app, { action: 'empty' })
    const variables = { team: owner.team, action, ...PERIOD }
    expect((await owner.graphql(STATS, variables)).data.team_stats).toMatchObject({
      persons: 0,
      latest: null,
      actions: [{ id: action, persons: 0 }],
      counts: [],
    })
  })

  test("team_stats returns not_found for another team, and for another team's action", async () => {
    expect(codeOf(await stranger.graphql(STATS, { team: owner.team, ...PERIOD }))).toBe('not_found')
    const variables = { team: stranger.team, action: actionIds[0], ...PERIOD }
    expect(codeOf(await stranger.graphql(STATS, variables))).toBe('not_found')
  })

  test("team_stats answers an API key of the team, but not another team's key", async () => {
    const ask = async (caller: Person) => {
      const creation = await caller.graphql(
        `mutation { create_api_key(team_id: "${caller.team}", name: "Key") { api_key } }`,
      )
      const headers = { authorization: `Bearer ${creation.data.create_api_key.api_key}` }
      const variables = { team: owner.team, ...PERIOD }
      return (await platform.post('/v1/graphql', { query: STATS, variables }, headers)).body
    }
    expect(await ask(owner)).toMatchObject({ data: { team_stats: { persons: 75 } } })
    expect(codeOf(Object(await ask(stranger)))).toBe('not_found')
  })

  test.each([{ hours: 0 }, { spans: 0 }, { spans: 367 }, { hours: 168, spans: 53 }])(
    'team_stats rejects the period %o',
    async (wrong) => {
      const variables = { team: owner.team, ...PERIOD, ...wrong }
      expect(codeOf(await owner.graphql(STATS, variables))).toBe('validation_error')
    },
  )
})

/** Adds people to an action. The nth person has verified n times. */
async function addPeople(action: string, count: number, at: string) {
  await platform.db.query(
    `insert into nullifier (action_id, nullifier_hash, uses, created_at)
    select $1, '0x' || encode(sha256(($3 || n)::bytea), 'hex'), n, $3::timestamptz from generate_series(1, $2::integer) as n`,
    [action, count, at],
  )
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}

/** Returns a whole second as Hasura writes it. */
function inHasura(ms: number): string {
  return isoTime(ms).replace('.000Z', '+00:00')
}

function codeOf(answer: { errors?: [{ extensions: { code: string } }] }) {
  return answer.errors?.[0].extensions.code
}
