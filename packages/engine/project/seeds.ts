import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Client } from 'pg'
import { sourceNames } from '../metadata/folder/source-names.ts'
import { sourceFolder } from '../runtime/database/migration-files.ts'
import type { Project } from './project.ts'

/** A seed file, and its source. */
export type Seed = { source: string; name: string; sql: string }

/** Reads the project's seeds by source, in the order of their names. If a source's folder is missing, the source has no seeds. */
export async function readSeeds({ metadataDir, seedsDir }: Project): Promise<readonly Seed[]> {
  const sources = await sourceNames(metadataDir)
  const seeds = sources.map(async (source) => {
    const folder = sourceFolder(seedsDir, source, sources)
    return folder === null ? [] : seedsIn(folder, source)
  })
  return (await Promise.all(seeds)).flat()
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
 * Applies seeds to the databases of their sources. Each database gets all its seeds or none.
 *
 * @param urlOf returns the address of a source's database
 * @throws Error with the name of the failed file
 */
export async function applySeeds(
  seeds: readonly Seed[],
  urlOf: (source: string) => string,
): Promise<void> {
  const clients = new Map<string, Client>()
  try {
    for (const seed of seeds) {
      const url = urlOf(seed.source)
      const client = clients.get(url) ?? (await beginTransaction(url))
      clients.set(url, client)
      await applySeed(client, seed)
    }
    // The caller records the seeds as applied, so they must survive a crash also with synchronous_commit=off.
    for (const client of clients.values())
      await client.query('set local synchronous_commit to on; commit')
  } finally {
    // If a seed has failed, ending the connections rolls back their open transactions.
    await Promise.all([...clients.values()].map((client) => client.end()))
  }
}

async function beginTransaction(url: string): Promise<Client> {
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
