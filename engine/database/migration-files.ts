import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** A migration of the project: its version, without its name, and its folder, which has `up.sql`. */
export type Migration = { version: string; folder: string }

/**
 * The migrations of a project by the sources of these names, oldest first; none where the folder is missing.
 *
 * @throws MigrationError where two of a source have one version
 */
export async function readMigrations(
  migrationsDir: string,
  sources: readonly string[],
): Promise<ReadonlyMap<string, readonly Migration[]>> {
  const all = sources.map(async (source) => {
    const folder = sourceFolder(migrationsDir, source, sources)
    return [source, folder === null ? [] : await migrationsIn(folder)] as const
  })
  return new Map(await Promise.all(all))
}

/**
 * The folder of a source among the project's migrations or seeds; null where there is none. Projects of config v3 have a folder for
 * each source; what older ones have beside each other belongs to the first.
 */
export function sourceFolder(
  folder: string,
  source: string,
  sources: readonly string[],
): string | null {
  const own = join(folder, source)
  if (existsSync(own)) return own
  const isOlder = existsSync(folder) && !sources.some((one) => existsSync(join(folder, one)))
  return isOlder && source === sources[0] ? folder : null
}

async function migrationsIn(folder: string): Promise<Migration[]> {
  const names = await readdir(folder)
  const migrations = names
    .flatMap((name) => {
      const version = /^\d+/.exec(name)?.[0]
      return version === undefined ? [] : [{ version, folder: join(folder, name) }]
    })
    .sort((a, b) => Number(BigInt(a.version) - BigInt(b.version)))
  migrations.forEach(refuseSameVersion)
  return migrations
}

/** Refuses two migrations with one version: the second would never be applied. */
function refuseSameVersion(
  { version, folder }: Migration,
  i: number,
  sorted: readonly Migration[],
) {
  const before = sorted[i - 1]
  if (before && BigInt(before.version) === BigInt(version))
    throw new MigrationError(
      `two migrations have the version ${version}: ${before.folder}, ${folder}`,
    )
}

/** A migration cannot be read, or it failed and was rolled back. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError'
}
