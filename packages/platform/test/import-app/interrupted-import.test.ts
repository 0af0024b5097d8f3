import { writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { temporaryFolder } from '../../../../local/process/temporary-folder.ts'
import { type Project, serveProject } from '../../../../test/support/hasura/project.ts'
import { makeTeam, teamRowId } from '../../../../test/support/hasura/team-rows.ts'
import { runImport, startImport } from '../support/run-import.ts'

const APP = 'app_0123456789abcdef0123456789abcdef'
const TEAM = teamRowId('mine', 'team')
const PEOPLE = 20_000
const path = join(temporaryFolder('import-'), 'people.jsonl')

let project: Project
let front: Server
/** Runs before the proxy forwards the request with this number. */
let beforeRequest: (number: number) => Promise<'drop' | undefined>
let requests = 0

beforeAll(async () => {
  project = await serveProject()
  await project.sql(
    "insert into payment_chain values ('worldchain', 'a test', '[\"USDCE\", \"WLD\"]', 'infinity')",
  )
  await makeTeam(project, 'mine')
  await makeTeam(project, 'theirs')
  // A proxy in front of the GraphQL API loses requests and responses when a test says so.
  front = createServer(async (request, response) => {
    requests += 1
    const number = requests
    const body = await text(request)
    const choice = await beforeRequest(number)
    const answer = await project.post('/v1/graphql', body, { 'x-hasura-role': 'reviewer' })
    if (choice === 'drop') response.destroy()
    else response.writeHead(answer.status).end(answer.text)
  })
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
  writeFileSync(
    path,
    [
      { type: 'app', id: APP, name: 'Votes', is_staging: false },
      { type: 'action', action: 'vote', max_verifications: 2 },
      ...Array.from({ length: PEOPLE }, (_, n) => ({
        type: 'person',
        action: 'vote',
        nullifier_hash: hashOf(n),
        uses: 1 + (n % 2),
      })),
      { type: 'end', people: PEOPLE },
    ]
      .map((line) => `${JSON.stringify(line)}\n`)
      .join(''),
  )
})
afterAll(async () => {
  front.close()
  front.closeAllConnections()
  await project.stop()
})
beforeEach(async () => {
  requests = 0
  beforeRequest = async () => undefined
  await project.sql(`delete from app where id = '${APP}'`)
})

function hashOf(n: number) {
  return `0x${n.toString(16).padStart(64, '0')}`
}

function options() {
  // The server listens on a TCP port, so its address has one.
  const { port } = front.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/v1/graphql`
  return ['--app', APP, '--team', TEAM, '--file', path, '--graphql', url]
}
const SECRET = { HASURA_GRAPHQL_ADMIN_SECRET: 'the proxy replaces it' }

const readTotals = () =>
  project.rows(`
    select count(*), sum(uses), sum(imported), action.status
    from action left join nullifier on action_id = action.id
    where app_id = '${APP}' and action = 'vote' group by action.status`)

const COMPLETE = [[`${PEOPLE}`, `${PEOPLE * 1.5}`, `${PEOPLE * 1.5}`, 'active']]

test('an import that was killed leaves the action inactive, and a repeated import completes it', async () => {
  const command = startImport(options(), SECRET)
  beforeRequest = async (number) => {
    if (number === 10) command.child.kill('SIGKILL')
    return undefined
  }
  await command.ended
  const [[stored, , , status] = []] = await readTotals()
  expect(Number(stored)).toBeGreaterThan(0)
  expect(Number(stored)).toBeLessThan(PEOPLE)
  expect(status).toBe('inactive')
  beforeRequest = async () => undefined
  expect((await runImport(options(), SECRET)).code).toBe(0)
  expect(await readTotals()).toEqual(COMPLETE)
})

test('a batch whose response is lost is sent again, and counts once', async () => {
  beforeRequest = async (number) => (number % 7 === 0 ? 'drop' : undefined)
  expect((await runImport(options(), SECRET)).code).toBe(0)
  expect(requests).toBeGreaterThan(PEOPLE / 1_000 + 4)
  expect(await readTotals()).toEqual(COMPLETE)
})

test('verifications during an import are all counted, before and after their person is imported', async () => {
  const [[actionId = ''] = []] = await begin()
  let counted = 0
  beforeRequest = async () => {
    // Each of these people verifies once for each batch, whether imported already or not.
    const people = Array.from({ length: 40 }, (_, n) => ({
      action_id: actionId,
      nullifier_hash: hashOf(n * 500),
      protocol: '3.0',
    }))
    const [[number = ''] = []] = await project.rows(
      `select count(*) from record_nullifiers('${JSON.stringify(people)}')`,
    )
    counted += Number(number)
    return undefined
  }
  const { code, output } = await runImport(options(), SECRET)
  expect(code).toBe(0)
  expect(counted).toBeGreaterThan(40)
  const [[rows, uses, imported] = []] = await readTotals()
  expect([rows, imported]).toEqual([`${PEOPLE}`, `${PEOPLE * 1.5}`])
  expect(Number(uses)).toBe(PEOPLE * 1.5 + counted)
  expect(output).toContain('Both ends are equal.')
})

test('an app whose creation has a lost response is imported', async () => {
  // The second request creates the app, and its retry is refused.
  beforeRequest = async (number) => (number === 2 ? 'drop' : undefined)
  const { code, error } = await runImport(options(), SECRET)
  expect([code, error]).toEqual([0, ''])
  expect(await readTotals()).toEqual(COMPLETE)
})

test('an app that another team creates at the same moment is refused', async () => {
  const theirs = teamRowId('theirs', 'team')
  beforeRequest = async (number) => {
    if (number === 2)
      await project.sql(`
        set platform.fixed_ids = 'on';
        insert into app (id, team_id, name) values ('${APP}', '${theirs}', 'Votes');
        reset platform.fixed_ids`)
    return undefined
  }
  const { code, error } = await runImport(options(), SECRET)
  expect([code, error]).toEqual([
    1,
    `The app ${APP} belongs to the team ${theirs} on this platform; --team says ${TEAM}.\n`,
  ])
})

test('two imports at the same time both succeed, and count each person once', async () => {
  const results = await Promise.all([runImport(options(), SECRET), runImport(options(), SECRET)])
  expect(results.map(({ code, error }) => [code, error])).toEqual([
    [0, ''],
    [0, ''],
  ])
  expect(await readTotals()).toEqual(COMPLETE)
})

test('a person who was deleted during the import is noticed, and a repeated import restores the person', async () => {
  beforeRequest = async (number) => {
    if (number === 20)
      await project.sql(`delete from nullifier where nullifier_hash = '${hashOf(3)}'`)
    return undefined
  }
  const { code, error } = await runImport(options(), SECRET)
  expect(error).toMatch(
    /the source has 20000 people with 30000 uses for the action action_[0-9a-f]{32}, and 19999 people with 29998 uses are stored/,
  )
  expect(code).toBe(1)
  expect((await readTotals())[0]?.at(-1)).toBe('inactive')
  beforeRequest = async () => undefined
  await runImport(options(), SECRET)
  expect(await readTotals()).toEqual(COMPLETE)
})

/** Creates the app with an active action before the import, as a team might, and returns the action's id. */
async function begin() {
  await project.sql(`
    set platform.fixed_ids = 'on';
    insert into app (id, team_id, name) values ('${APP}', '${TEAM}', 'Votes');
    reset platform.fixed_ids;
    insert into action (app_id, action, max_verifications) values ('${APP}', 'vote', 2)`)
  return project.rows(`select id from action where app_id = '${APP}' and action = 'vote'`)
}
