import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Client } from 'pg'
import { sourceName } from '../metadata/source-name.ts'
import type { Project } from './project.ts'

/** A file of rows to begin with. */
export type Seed = { name: string; sql: string }

/** The project's seeds, in the order of their names; none where the folder is missing. */
export async function readSeeds({ metadataDir, seedsDir }: Project): Promise<readonly Seed[]> {
  // Projects of config v3 have a folder for each database, older ones the files themselves.
  const nested = join(seedsDir, await sourceName(metadataDir))
  const folder = [nested, seedsDir].find((each) => existsSync(each))
  if (!folder) return []
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort()
  return Promise.all(
    files.map(async (file) => ({
      name: basename(file),
      sql: await readFile(join(folder, file), 'utf8'),
    })),
  )
}

/**
 * Applies seeds to a database, all of them or none.
 *
 * @throws Error that names the file at fault
 */
export async function applySeeds(url: string, seeds: readonly Seed[]): Promise<void> {
  const client = new Client({ connectionString: url, application_name: 'engine seeds' })
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query('begin')
    for (const { name, sql } of seeds)
      await client.query(sql).catch((cause: unknown) => {
        const reason = cause instanceof Error ? cause.message : String(cause)
        throw new Error(`seed ${name}: ${reason}`, { cause })
      })
    // Whoever notes that they are applied counts on it, also where the server may lose its last second.
    await client.query('set local synchronous_commit to on; commit')
  } finally {
    // What is not committed by now is rolled back.
    await client.end()
  }
}
