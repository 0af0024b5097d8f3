import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { startPostgres } from '../platform/postgres.ts'
import { freePort } from './free-port.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** A superuser's URL of the run's cluster. */
    postgresUrl: string
  }
}

/** One throw-away PostgreSQL for the whole run; every test file makes its own databases in it. */
export default async function setup(project: TestProject) {
  const folder = mkdtempSync(join(tmpdir(), 'test-postgres-'))
  const postgres = await startPostgres({
    folder,
    port: await freePort(),
    password: 'test',
    settings: [
      'max_connections=300',
      'fsync=off',
      'full_page_writes=off',
      'synchronous_commit=off',
    ],
  })
  project.provide('postgresUrl', postgres.url)
  return async () => {
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
