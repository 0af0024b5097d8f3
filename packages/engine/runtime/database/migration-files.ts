import { existsSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** A migration of the project. */
export type Migration = {
  /** The version, without leading zeros. */
  version: string
  /** The name, for example `1_init`. */
  name: string
  /** The file with the SQL that applies it. */
  file: string
}

/**
 * Reads the migrations of a project by source, oldest first. If a source's folder is missing, the source has no migrations. Like
 * Hasura's command line (`cli/migrate/source/file`), reads folders such as `1_init/up.sql` and files such as `1_init.up.sql`,
 * and ignores empty files and files with other names.
 *
 * @throws MigrationError if two files of a source have the same version and direction, or a migration has no up.sql
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
 * Returns the folder of a source's migrations or seeds; null if there is none. Projects of config v3 have a folder for each
 * source. Older projects have all files in one folder, which belongs to the first source.
 */
export function sourceFolder(
  folder: string,
  source: string,
  sources: readonly string[],
): string | null {
  const subfolder = join(folder, source)
  if (existsSync(subfolder)) return subfolder
  const isOlder = existsSync(folder) && !sources.some((one) => existsSync(join(folder, one)))
  return isOlder && source === sources[0] ? folder : null
}

async function migrationsIn(folder: string): Promise<Migration[]> {
  const files = (await migrationFiles(folder)).sort((a, b) => Number(a.version - b.version))
  const migrations = Map.groupBy(files, ({ version }) => version)
  return [...migrations].map(([version, versionFiles]) => {
    const [file, ...duplicates] = versionFiles.filter(({ direction }) => direction === 'up')
    const [down, ...downs] = versionFiles.filter(({ direction }) => direction === 'down')
    refuseSameVersion(version, file, duplicates)
    refuseSameVersion(version, down, downs)
    if (file) return { version: String(version), name: file.name, file: file.path }
    throw new MigrationError(`migration ${version} has ${down?.path}, but no up.sql`)
  })
}

type MigrationFile = { version: bigint; name: string; direction: string; path: string }

/** Lists the migration files in a folder and its subfolders. */
async function migrationFiles(folder: string): Promise<MigrationFile[]> {
  const entries = (await readdir(folder)).map(async (name) => {
    const path = join(folder, name)
    if (!(await stat(path)).isDirectory()) return migrationFile(name, path)
    // `1_init/up.sql` is read like `1_init.up.sql`.
    const migrations = (await readdir(path)).map((file) =>
      migrationFile(`${name}.${file}`, join(path, file)),
    )
    return (await Promise.all(migrations)).flat()
  })
  return (await Promise.all(entries)).flat()
}

async function migrationFile(fileName: string, path: string): Promise<MigrationFile[]> {
  const [, name, version, direction] = FILE_NAME.exec(fileName) ?? []
  if (name === undefined || version === undefined || direction === undefined) return []
  const stats = await stat(path)
  const isEmpty = !stats.isFile() || stats.size === 0
  return isEmpty ? [] : [{ version: BigInt(version), name, direction, path }]
}

const FILE_NAME = /^((\d+)_.*)\.(up|down)\.sql$/s

/** Normalizes a recorded version, because earlier versions of the engine recorded it as in the file's name, for example 01. */
export function withoutZeros(version: string): string {
  return version.replace(/^0+(?=\d)/, '')
}

/** Rejects two files with the same version and direction, because the second would never be applied. */
function refuseSameVersion(
  version: bigint,
  first: MigrationFile | undefined,
  [second]: readonly MigrationFile[],
) {
  if (first && second)
    throw new MigrationError(
      `two migrations have the version ${version}: ${first.path}, ${second.path}`,
    )
}

/** The error for migrations that cannot be read or applied. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError'
}
