import { readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../local/process/temporary-folder.ts'
import { documentedCommands } from '../../trials/containers/documented-commands.ts'
import { isInstalled } from '../support/docs/programs.ts'
import { type Project, serveProject } from '../support/hasura/project.ts'
import { makeTeam, readTeamRows, teamRowId } from '../support/hasura/team-rows.ts'
import { runWithoutDocker } from '../support/operations/run-without-docker.ts'

// Runs the commands of docs/operations/tasks.md that export a team.

const PAGE = 'docs/operations/tasks.md'
const TEAM = teamRowId('mine', 'team')
const TABLES = [
  'team',
  'membership',
  'invite',
  'app',
  'action',
  'redirect',
  'request_key',
  'sign_in_client',
  'api_key',
  'transaction',
  'nullifier',
  'audit',
]
const SECRETS = ['secret_hash', 'registration_token_hash']

let project: Project
let folder: string

beforeAll(async () => {
  project = await serveProject()
  await project.sql(
    "insert into payment_chain values ('worldchain', 'a test', '[\"USDCE\", \"WLD\"]', 'infinity')",
  )
  await makeTeam(project, 'mine')
  await makeTeam(project, 'theirs')
  folder = temporaryFolder('export-')
  symlinkSync(resolve('ops'), join(folder, 'ops'))
})
afterAll(() => project.stop())

describe.skipIf(!isInstalled('psql'))('export-team.sql exports a team by psql', () => {
  test('the export has every row of the team, with its values, and no row of another team', async () => {
    // Text with the characters that JSON and COPY escape.
    await project.sql(
      `update action set description = E'a "b" \\\\ c\\nd\\te , \\u00e9 \\u0001' where id = '${teamRowId('mine', 'action')}'`,
    )
    const { code, output } = await run(documentedCommands(PAGE, 'export-team'))
    expect(output).toBe('')
    expect(code).toBe(0)
    const lines = readLines(`${TEAM}.jsonl`)
    expect([...new Set(lines.map(({ table }) => table))]).toEqual(TABLES)
    const rows = await readTeamRows(project, 'mine')
    for (const table of TABLES) {
      const exported = lines.filter((line) => line.table === table).map(({ row }) => row)
      const stored = (rows.get(table) ?? []).map((row) => withoutSecrets(row))
      if (table === 'membership') expect(exported).toEqual(await membersWithAddresses())
      else expect(byText(exported), table).toEqual(byText(stored))
    }
    expect(readFileSync(join(folder, `${TEAM}.jsonl`), 'utf8')).not.toMatch(
      /theirs|bbbbbbbb|secret_hash/,
    )
  })

  test('the audit trail of the team records the export', async () => {
    const [latest] = await project.rows(
      'select actor_role, operation, subject, subject_id, team_id from audit order by created_at desc limit 1',
    )
    expect(latest).toEqual(['database', 'insert', 'export', TEAM, TEAM])
  })

  test.skipIf(!isInstalled('jq'))('jq splits the export into one file for each table', async () => {
    const { output } = await run(documentedCommands(PAGE, 'split-export'))
    expect(output).toBe('')
    const files = readdirSync(folder).filter((name) => name.startsWith(`${TEAM}-`))
    expect(files.toSorted()).toEqual(TABLES.map((table) => `${TEAM}-${table}.jsonl`).toSorted())
    expect(readLines(`${TEAM}-team.jsonl`)).toMatchObject([{ id: TEAM, name: 'Team mine' }])
  })

  test('an unknown team is refused by name, and nothing is exported or recorded', async () => {
    const commands = documentedCommands(PAGE, 'export-team')
    const { code, output } = await run(commands, { TEAM: "team_'none" })
    expect(code).not.toBe(0)
    expect(output).toContain("there is no team team_'none")
    expect(readFileSync(join(folder, "team_'none.jsonl"), 'utf8')).toBe('')
    expect(await project.rows("select id from audit where team_id like '%none'")).toEqual([])
  })

  test('an export has each of a hundred thousand people', async () => {
    await project.sql(`
      insert into nullifier (action_id, nullifier_hash)
      select '${teamRowId('mine', 'action', 2)}', '0x' || lpad(to_hex(n), 64, '0') from generate_series(1, 100000) n`)
    await run(documentedCommands(PAGE, 'export-team'))
    const people = readLines(`${TEAM}.jsonl`).filter(({ table }) => table === 'nullifier')
    expect(people).toHaveLength(100_003)
  })
})

/** Runs commands that write into the folder. */
function run(commands: string, variables: Record<string, string> = {}) {
  return runWithoutDocker(`cd ${folder}; ${commands}`, project.superuserUrl, { TEAM, ...variables })
}

function readLines(name: string) {
  const lines = readFileSync(join(folder, name), 'utf8').split('\n').filter(Boolean)
  return lines.map((line) => JSON.parse(line))
}

async function membersWithAddresses() {
  const rows = await project.rows(`
    select to_jsonb(membership) || jsonb_build_object('name', name, 'email', email)
    from membership join "user" on "user".id = user_id where team_id = '${TEAM}'`)
  return rows.map(([row]) => JSON.parse(row ?? ''))
}

function withoutSecrets(row: object) {
  return Object.fromEntries(Object.entries(row).filter(([column]) => !SECRETS.includes(column)))
}

/** Sorts rows, since neither the export nor the table has an order. */
function byText(rows: readonly object[]) {
  return rows.map((row) => JSON.stringify(Object.entries(row).toSorted())).toSorted()
}
