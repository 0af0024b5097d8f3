import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Client } from 'pg'
import { sourceNames } from '../metadata/folder/source-names.ts'
import { sourceFolder } from '../runtime/database/migration-files.ts'
import type { Project } from './project.ts'

/** A file of rows to begin with, and the source that they are for. */
export type Seed = { source: string; name: string; sql: string }

/** The project's seeds, by source, in the order of their names; none where the folder is missing. */
export async function readSeeds({ metadataDir, seedsDir }: Project): Promise<readonly Seed[]> {
  const sources = await sourceNames(metadataDir)
  const found = sources.map(async (source) => {
    const folder = sourceFolder(seedsDir, source, sources)
    return folder === null ? [] : seedsIn(folder, source)
  })
  return (await Promise.all(found)).flat()
}

async function seedsIn(folder: string, source: string): Promise<Seed[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort()
  return Promise.all(
    files.map(async (file) => ({
      source,
      name: basename(file),
      sql: await readFile(join(folder, file), 'utf8'),
    })),
  )
}

/**
 * Applies seeds to the databases of their sources, in each database all of them or none.
 *
 * @param urlOf the address of a source's database
 * @throws Error that names the file at fault
 */
export async function applySeeds(
  seeds: readonly Seed[],
  urlOf: (source: string) => string,
): Promise<void> {
  const clients = new Map<string, Client>()
  try {
    for (const seed of seeds) {
      const url = urlOf(seed.source)
      const client = clients.get(url) ?? (await beginOn(url))
      clients.set(url, client)
      await applySeed(client, seed)
    }
    // Whoever notes that they are applied counts on it, also where the server may lose its last second.
    for (const client of clients.values())
      await client.query('set local synchronous_commit to on; commit')
  } finally {
    // What is not committed by now is rolled back.
    await Promise.all([...clients.values()].map((client) => client.end()))
  }
}

async function beginOn(url: string): Promise<Client> {
  const client = new Client({ connectionString: url, application_name: 'engine seeds' })
  client.on('error', () => {})
  await client.connect()
  await client.query('begin')
  return client
}

async function applySeed(client: Client, { name, sql }: Seed): Promise<void> {
  await client.query(sql).catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`seed ${name}: ${reason}`, { cause })
  })
}
