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
    /** The URL of the run's cluster for a superuser. */
    postgresUrl: string
    /** The passwords of the roles of ops/roles.sql. */
    rolePasswords: { hasura: string; signIn: string }
    /** The name of the database with every migration, which tests copy. */
    platformTemplate: string
  }
}

/**
 * Starts a temporary PostgreSQL for the whole run, with a template database that test files copy. Also creates the template
 * for the tests' chains.
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
    settings: FAST_SETTINGS,
  })
  // Hashes the password again with `scram_iterations=1`, because initdb does not use these settings.
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
 * Removes the folders of killed runs: their names contain the id of a process that does not run. Keeps recent folders, since
 * their process may run in another container, which has other process ids.
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

/**
 * Makes PostgreSQL faster at the price of durability and password strength, which tests do not need. A run starts about 3,000
 * sessions, and each session checks a password.
 */
const FAST_SETTINGS = [
  // A platform that several test files share keeps open all connections that it ever needed.
  'max_connections=600',
  'fsync=off',
  'full_page_writes=off',
  'synchronous_commit=off',
  'wal_level=minimal',
  'max_wal_senders=0',
  'scram_iterations=1',
  'autovacuum=off',
]

/** More memory than the databases of a run need at any time. */
const MIN_MEMORY = 4 * 1024 ** 3

/** Returns a folder in memory if it has enough space. Copying and dropping databases takes half as long there. */
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

/** Creates the template `platform`: the roles, and every migration of hasura/, applied as the role hasura. */
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
