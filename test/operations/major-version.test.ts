import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { requireValue } from '../../lib/runtime/require-value.ts'
import { type Postgres, startPostgres } from '../../local/postgres/embedded-postgres.ts'
import { freePort } from '../../local/process/free-port.ts'
import { temporaryFolder } from '../../local/process/temporary-folder.ts'
import { createRoles } from '../../packages/platform/parts/database-roles.ts'
import { documentedCommands } from '../../trials/containers/documented-commands.ts'
import { makeTeam, readTeamRows } from '../support/hasura/team-rows.ts'
import { runWithoutDocker } from '../support/operations/run-without-docker.ts'

// Moves a database between two real clusters of different major versions with the commands of docs/operations/backup.md.

const PAGE = 'docs/operations/backup.md'
const PASSWORD = 'the password of these tests'
const ROLE_PASSWORDS = { hasura: 'one', signIn: 'two' }

/** The folder of Debian's packages, with a folder for each major version. */
const DEBIAN_FOLDER = '/usr/lib/postgresql'
const otherPrograms = existsSync(DEBIAN_FOLDER)
  ? readdirSync(DEBIAN_FOLDER)
      .map((version) => join(DEBIAN_FOLDER, version, 'bin'))
      .find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'pg_dump')))
  : undefined

describe.skipIf(!otherPrograms)('a database moves to another major version of PostgreSQL', () => {
  const folder = temporaryFolder('major-')
  const programs = otherPrograms ?? ''
  const DUMP = join(folder, 'platform.dump')
  let old: Postgres
  let current: Postgres

  beforeAll(async () => {
    old = await start('old', programs)
    current = await start('current')
    // On a machine with Docker, PostgreSQL's container runs the same file when its volume is new.
    for (const { url } of [old, current]) await createRoles(url, ROLE_PASSWORDS)
    await fillDatabase(old.url)
  }, 120_000)
  afterAll(async () => {
    await old.stop()
    await current.stop()
    rmSync(folder, { recursive: true })
  })

  test('the commands move all rows, owners, rights and limits of the roles', async () => {
    expect(await version(old.url)).not.toBe(await version(current.url))
    for (const [name, { url }] of [
      ['dump-old-version', old],
      ['restore-new-version', current],
    ] as const) {
      const commands = `set -e\n${documentedCommands(PAGE, name)}`
      const { code, output } = await runWithoutDocker(commands, url, { programs, DUMP })
      expect(code, output).toBe(0)
    }
    expect(await readEverything(current.url)).toEqual(await readEverything(old.url))
  })

  test('the roles of the services work in the new version, and keep their limits', async () => {
    for (const [role, password] of [
      ['hasura', 'one'],
      ['sign_in', 'two'],
    ] as const) {
      const url = Object.assign(new URL(current.url), { username: role, password }).href
      expect(await select(url, 'select count(*)::int as n from oidc_artifact')).toEqual([{ n: 0 }])
      expect(await select(url, 'show statement_timeout')).toEqual([{ statement_timeout: '5s' }])
    }
  })

  async function start(name: string, otherVersion?: string) {
    return startPostgres({
      folder: join(folder, name),
      port: await freePort(),
      password: PASSWORD,
      ...(otherVersion && { programs: otherVersion }),
    })
  }
})

/** Applies the migrations as Hasura's role, and inserts the rows of two teams. */
async function fillDatabase(url: string) {
  const migrations = 'hasura/migrations/default'
  const files = readdirSync(migrations).toSorted()
  const asHasura = Object.assign(new URL(url), { username: 'hasura', password: 'one' }).href
  await withClient(asHasura, async (client) => {
    for (const name of files)
      await client.query(readFileSync(join(migrations, name, 'up.sql'), 'utf8'))
  })
  await withClient(url, async (client) => {
    await client.query(
      "insert into payment_chain values ('worldchain', 'a test', '[\"USDCE\", \"WLD\"]', 'infinity')",
    )
    const project = { sql: async (text: string) => void (await client.query(text)) }
    await makeTeam(project, 'mine')
    await makeTeam(project, 'theirs')
  })
}

/**
 * Reads the rows of the teams, the rights on tables and functions, and default rights. Leaves out the
 * owner's right to maintain a table (m), which is new in version 17.
 */
async function readEverything(url: string) {
  return withClient(url, async (client) => {
    const rows = async (text: string) => {
      const { rows: found } = await client.query({ text, rowMode: 'array' })
      return found.map((row: unknown[]) => row.map(toText))
    }
    return {
      mine: await readTeamRows({ rows }, 'mine'),
      theirs: await readTeamRows({ rows }, 'theirs'),
      owners: await rows(
        `select relname, relowner::regrole from pg_class where relnamespace = 'public'::regnamespace order by 1`,
      ),
      rights: await rows(
        `select proname, proacl::text from pg_proc where pronamespace = 'public'::regnamespace
        union all select relname, replace(relacl::text, 'arwdDxtm', 'arwdDxt') from pg_class where relnamespace = 'public'::regnamespace
        union all select nspname, nspacl::text from pg_namespace where nspname = 'public'
        union all select datname, datacl::text from pg_database where datname = 'postgres'
        order by 1, 2`,
      ),
      defaults: await rows(
        'select defaclrole::regrole, defaclobjtype, defaclacl::text from pg_default_acl',
      ),
    }
  })
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

async function version(url: string): Promise<string> {
  const [row] = await select(url, 'show server_version')
  return requireValue(row, 'the version').server_version.split('.')[0] ?? ''
}

function select(url: string, text: string) {
  return withClient(url, async (client) => (await client.query(text)).rows)
}

async function withClient<T>(url: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(url)
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}
