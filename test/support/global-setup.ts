import { randomUUID } from 'node:crypto'
import {
  accessSync,
  constants,
  mkdtempSync,
  readdirSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import type { TestProject } from 'vitest/node'
import { startPostgres } from '../../local/postgres/embedded-postgres.ts'
import { freePort } from '../../local/process/free-port.ts'
import { createRoles } from '../../packages/platform/parts/database-roles.ts'
import { migrationTexts } from '../../packages/platform/parts/migration-texts.ts'
import { provideChainTemplate } from './chain-template.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** A superuser's URL of the run's cluster. */
    postgresUrl: string
    /** The passwords of the roles of ops/roles.sql. */
    rolePasswords: { hasura: string; signIn: string }
    /** The database with every migration, of which tests get copies. */
    platformTemplate: string
  }
}

/**
 * Starts one throw-away PostgreSQL for the whole run, in which every test file gets copies of a template database, and
 * makes the template of every test's chain.
 */
export default async function setup(project: TestProject) {
  const home = folderInMemory() ?? tmpdir()
  removeLeftovers(home)
  const folder = mkdtempSync(join(home, `test-postgres-${process.pid}-`))
  const password = randomUUID()
  const postgres = await startPostgres({
    folder,
    port: await freePort(),
    password,
    settings: THROW_AWAY,
  })
  // Its password was hashed before the settings counted.
  await run(postgres.url, `alter role postgres password '${password}'`)
  const rolePasswords = { hasura: "'quoted' hasura", signIn: 'of the sign-in server' }
  await Promise.all([makeTemplate(postgres.url, rolePasswords), provideChainTemplate(project)])
  project.provide('postgresUrl', postgres.url)
  project.provide('rolePasswords', rolePasswords)
  project.provide('platformTemplate', 'platform')
  return async () => {
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Removes what runs have left behind that were killed, by the process ids in the names. The process of a young folder may
 * run in another container, where its id means something else.
 */
function removeLeftovers(home: string) {
  for (const name of readdirSync(home)) {
    const [, pid] = /^test-postgres-(\d+)-/.exec(name) ?? []
    if (pid === undefined || isRunning(Number(pid))) continue
    const path = join(home, name)
    const changedAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
    if (Date.now() - changedAt > LONGEST_RUN_MS) rmSync(path, { recursive: true, force: true })
  }
}

const LONGEST_RUN_MS = 2 * 60 * 60 * 1_000

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Settings of a cluster that nobody recovers, and whose passwords nobody guesses: each of the run's 3,000 sessions begins with one. */
const THROW_AWAY = [
  // A platform that files share keeps the connections that its busiest file needed.
  'max_connections=600',
  'fsync=off',
  'full_page_writes=off',
  'synchronous_commit=off',
  'wal_level=minimal',
  'max_wal_senders=0',
  'scram_iterations=1',
  'autovacuum=off',
]

/** More than the databases of a run take at a time. */
const MIN_MEMORY = 4 * 1024 ** 3

/** A folder whose files are kept in memory, where there is room for a cluster: to copy and drop databases takes half as long in it. */
function folderInMemory(): string | null {
  const folder = '/dev/shm'
  try {
    accessSync(folder, constants.W_OK)
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize > MIN_MEMORY ? folder : null
  } catch {
    return null
  }
}

/** Makes the template `platform`: a database with its roles, every migration of hasura/, applied by Hasura's role, and no rows. */
async function makeTemplate(url: string, passwords: { hasura: string; signIn: string }) {
  await run(url, 'create database platform')
  const { hasuraUrl } = await createRoles(at(url, 'platform'), passwords)
  await run(hasuraUrl, ...migrationTexts())
}

function at(url: string, name: string): string {
  return Object.assign(new URL(url), { pathname: `/${name}` }).href
}

async function run(url: string, ...statements: string[]) {
  const client = new Client(url)
  await client.connect()
  for (const statement of statements) await client.query(statement)
  await client.end()
}
