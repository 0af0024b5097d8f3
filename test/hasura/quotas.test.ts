import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { database } from '../support/database.ts'
import { type Project, serveProject } from '../support/hasura/project.ts'
import { makeTeam, removeTeam, teamRowId } from '../support/hasura/team-rows.ts'
import { tablesBySection } from '../support/markdown-tables.ts'

const TEAM = teamRowId('mine', 'team')
const APP = teamRowId('mine', 'app', 1)
const OWNER = teamRowId('mine', 'usr', 1)

const KEY = { 'x-hasura-role': 'api_key', 'x-hasura-team-id': TEAM }
const PERSON = { 'x-hasura-role': 'user', 'x-hasura-user-id': OWNER }
/** The session of the developer API when it acts for a person. */
const FOR_OWNER = { 'x-hasura-role': 'service', 'x-hasura-user-id': OWNER }

let project: Project

beforeAll(async () => {
  project = await serveProject()
  await project.sql(
    "insert into payment_chain values ('worldchain', 'a test', '[\"USDCE\", \"WLD\"]', 'infinity')",
  )
})
afterAll(() => project?.stop())
beforeEach(async () => {
  await project.sql(`
    update quota set most = 10000;
    delete from team where id in (select team_id from membership where user_id = '${OWNER}')`)
  for (const team of ['mine', 'theirs'] as const) {
    await removeTeam(project, team)
    await makeTeam(project, team)
  }
})

type Maker = {
  /** Creates one more row as a permitted caller; `n` differs each time. */
  mutation: (n: number) => string
  headers: Record<string, string>
  /** The rows that count for the quota, in SQL. */
  count: string
}

/** The ways to create rows of each kind. */
const makers: Readonly<Record<string, Maker>> = {
  app: {
    mutation: (n) => `insert_app(objects: {name: "App ${n}"}){affected_rows}`,
    headers: KEY,
    count: `from app where team_id = '${TEAM}'`,
  },
  action: {
    mutation: (n) =>
      `insert_action(objects: {app_id: "${APP}", action: "act-${n}", name: "Act"}){affected_rows}`,
    headers: KEY,
    count: `from action join app on app.id = app_id where team_id = '${TEAM}'`,
  },
  api_key: {
    mutation: (n) =>
      `create_api_key_as_service(args: {user_id: "${OWNER}", team_id: "${TEAM}", id: "key_${String(n).padStart(32, '0')}", name: "K", secret_hash: "${'0'.repeat(64)}"}){id}`,
    headers: FOR_OWNER,
    count: `from api_key where team_id = '${TEAM}' and is_active`,
  },
  redirect: {
    mutation: (n) =>
      `insert_redirect(objects: {app_id: "${APP}", redirect_uri: "https://example.com/${n}"}){affected_rows}`,
    headers: KEY,
    count: `from redirect where app_id = '${APP}'`,
  },
  invite: {
    mutation: (n) =>
      `invite_team_members_as_service(args: {user_id: "${OWNER}", team_id: "${TEAM}", emails: ["guest-${n}@example.com"]}){email}`,
    headers: FOR_OWNER,
    count: `from invite where team_id = '${TEAM}'`,
  },
  transaction: {
    mutation: (n) => `insert_transaction(objects: ${payment(n)}){affected_rows}`,
    headers: KEY,
    count: `from transaction where app_id = '${APP}' and transaction_status = 'pending'`,
  },
  team: {
    mutation: (n) => `create_team_as_service(args: {user_id: "${OWNER}", name: "Team ${n}"}){id}`,
    headers: FOR_OWNER,
    count: `from membership where user_id = '${OWNER}' and role = 'OWNER'`,
  },
}

const kinds = Object.entries(makers)

describe.each(kinds)('the quota of kind %s limits rows', (kind, { mutation, headers, count }) => {
  test('the quota limits the number of rows', async () => {
    await setQuota(kind, (await countRows(count)) + 1)
    expect(await mutate(mutation(1), headers)).toBe('done')
    expect(await mutate(mutation(2), headers)).toMatch(/^quota_exceeded: at most \d+ /)
    expect(await countRows(count)).toBe(await readQuota(kind))
  })

  test('the quota holds for twenty concurrent requests', async () => {
    await setQuota(kind, (await countRows(count)) + 3)
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, n) => mutate(mutation(n), headers)),
    )
    expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(3)
    expect(new Set(outcomes).size).toBe(2)
    expect(await countRows(count)).toBe(await readQuota(kind))
  })

  test("the quota follows the operator's changes", async () => {
    await setQuota(kind, await countRows(count))
    expect(await mutate(mutation(1), headers)).toMatch(/^quota_exceeded/)
    await setQuota(kind, (await readQuota(kind)) + 1)
    expect(await mutate(mutation(2), headers)).toBe('done')
  })
})

describe('each team and each user has separate quotas', () => {
  test('a statement that would exceed a quota inserts no row', async () => {
    await setQuota('app', 10)
    const objects = Array.from({ length: 9 }, (_, n) => `{name: "App ${n}"}`)
    const outcome = await mutate(`insert_app(objects: [${objects}]){affected_rows}`, KEY)
    expect(outcome).toMatch(/^quota_exceeded: at most 10 apps/)
    expect(await countRows(`from app where team_id = '${TEAM}'`)).toBe(2)
  })

  test("a team does not use up another team's quota", async () => {
    await setQuota('app', 2)
    const otherTeamKey = { ...KEY, 'x-hasura-team-id': teamRowId('theirs', 'team') }
    expect(await mutate('insert_app(objects: {name: "x"}){affected_rows}', KEY)).toMatch(/^quota/)
    await project.sql(`delete from app where id = '${teamRowId('theirs', 'app', 2)}'`)
    expect(await mutate('insert_app(objects: {name: "x"}){affected_rows}', otherTeamKey)).toBe(
      'done',
    )
  })

  test("a quota does not limit the operator's inserts", async () => {
    await setQuota('app', 1)
    await project.sql(`insert into app (team_id, name) values ('${TEAM}', 'By the operator')`)
    expect(await countRows(`from app where team_id = '${TEAM}'`)).toBe(3)
  })

  test('a quota holds for a key that is activated again', async () => {
    await project.sql(`
      update api_key set is_active = false where team_id = '${TEAM}';
      insert into api_key (team_id, name, secret_hash) values ('${TEAM}', 'New', repeat('0', 64))`)
    await setQuota('api_key', 1)
    const activateKeys =
      'update_api_key(where: {is_active: {_eq: false}}, _set: {is_active: true}){affected_rows}'
    expect(await mutate(activateKeys, PERSON)).toMatch(/^quota_exceeded: at most 1 active API keys/)
  })

  test('a quota holds for a person who becomes an owner', async () => {
    await setQuota('team', 1)
    const personInBothTeams = `usr_${'0'.repeat(32)}`
    expect(await mutate(giveRole(personInBothTeams, 'OWNER'), PERSON)).toMatch(
      /^quota_exceeded: at most 1 teams/,
    )
    expect(await mutate(giveRole(personInBothTeams, 'ADMIN'), PERSON)).toBe('done')
    expect(await mutate(giveRole(teamRowId('mine', 'usr', 3), 'OWNER'), PERSON)).toBe('done')
  })

  test('a lowered quota does not prevent changes of existing rows', async () => {
    await setQuota('api_key', 0)
    await setQuota('team', 0)
    const name = 'update_api_key(where: {}, _set: {name: "x"}){affected_rows}'
    expect(await mutate(name, PERSON)).toBe('done')
    expect(await mutate(giveRole(OWNER, 'OWNER'), PERSON)).toBe('done')
  })
})

test('docs/limits.md lists every quota with its initial number', async () => {
  const page = readFileSync('docs/limits.md', 'utf8').replace('## Quotas', '## 1 Quotas')
  const rows = tablesBySection(page)
    .get('1')?.[0]
    ?.map((row) => Object.values(row).join())
  const initialQuotas = await readInitialQuotas()
  expect(rows?.toSorted()).toEqual(
    initialQuotas.map(([what, most]) => `${what},${Number(most).toLocaleString('en')}`).toSorted(),
  )
})

/** Reads the quotas of a new database. */
async function readInitialQuotas(): Promise<[string, number][]> {
  const newDatabase = await database('platform')
  const { rows } = await newDatabase.query('select description, most from quota')
  await newDatabase.drop()
  return rows.map(({ description, most }) => [String(description), Number(most)])
}

function payment(n: number): string {
  const hash = `0x${String(n).padStart(64, '0')}`
  return `{app_id: "${APP}", reference: "order ${n}", chain: "worldchain", transaction_hash: "${hash}", token: "WLD", token_amount: "1", to: "0x${'1'.repeat(40)}"}`
}

function giveRole(user: string, role: string): string {
  return `update_membership(where: {team_id: {_eq: "${TEAM}"}, user_id: {_eq: "${user}"}}, _set: {role: "${role}"}){affected_rows}`
}

/** Sets a quota as the operator does. */
async function setQuota(kind: string, most: number) {
  await project.sql(`update quota set most = ${most} where kind = '${kind}'`)
}

async function readQuota(kind: string): Promise<number> {
  const [[most] = []] = await project.rows(`select most from quota where kind = '${kind}'`)
  return Number(most)
}

async function countRows(from: string): Promise<number> {
  const [[count] = []] = await project.rows(`select count(*) ${from}`)
  return Number(count)
}

/** Runs a mutation. @returns `done` or the error's message */
async function mutate(mutation: string, headers: Record<string, string>): Promise<string> {
  const answer = await project.graphql(`mutation{${mutation}}`, {}, headers)
  const { errors } = Answer.parse(answer.body)
  return errors?.[0]?.message ?? 'done'
}

const Answer = z.object({ errors: z.array(z.object({ message: z.string() })).optional() })
