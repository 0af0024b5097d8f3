import { existsSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** A migration of the project. */
export type Migration = {
  /** Without leading zeros. */
  version: string
  /** Such as `1_init`. */
  name: string
  /** The file that applies it. */
  file: string
}

/**
 * The migrations of a project by the sources of these names, oldest first; none where the folder is missing. As Hasura's command
 * line does (`cli/migrate/source/file`), it reads folders such as `1_init/up.sql` and files such as `1_init.up.sql`, and passes
 * over empty files and everything else.
 *
 * @throws MigrationError where two files of a source have one version and direction, or one migration has no file that applies it
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
  const files = (await migrationFiles(folder)).sort((a, b) => Number(a.version - b.version))
  const migrations = Map.groupBy(files, ({ version }) => version)
  return [...migrations].map(([version, ofVersion]) => {
    const [file, ...others] = ofVersion.filter(({ direction }) => direction === 'up')
    const [down, ...downs] = ofVersion.filter(({ direction }) => direction === 'down')
    refuseSameVersion(version, file, others)
    refuseSameVersion(version, down, downs)
    if (file) return { version: String(version), name: file.name, file: file.path }
    throw new MigrationError(`migration ${version} has ${down?.path}, and no up.sql`)
  })
}

type MigrationFile = { version: bigint; name: string; direction: string; path: string }

/** The files of migrations that are in a folder, or in the folders in it. */
async function migrationFiles(folder: string): Promise<MigrationFile[]> {
  const entries = (await readdir(folder)).map(async (name) => {
    const path = join(folder, name)
    if (!(await stat(path)).isDirectory()) return migrationFile(name, path)
    // In a folder, the file is named as the folder's name would go on.
    const inside = (await readdir(path)).map((file) =>
      migrationFile(`${name}.${file}`, join(path, file)),
    )
    return (await Promise.all(inside)).flat()
  })
  return (await Promise.all(entries)).flat()
}

async function migrationFile(fileName: string, path: string): Promise<MigrationFile[]> {
  const [, name, version, direction] = FILE_NAME.exec(fileName) ?? []
  if (name === undefined || version === undefined || direction === undefined) return []
  const found = await stat(path)
  const isEmpty = !found.isFile() || found.size === 0
  return isEmpty ? [] : [{ version: BigInt(version), name, direction, path }]
}

const FILE_NAME = /^((\d+)_.*)\.(up|down)\.sql$/s

/** A version that is noted as applied: earlier engines have noted it as the file names it, such as 01. */
export function withoutZeros(version: string): string {
  return version.replace(/^0+(?=\d)/, '')
}

/** Refuses two files with one version: the second would never be applied. */
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

/** A migration cannot be read, or it failed and was rolled back. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError'
}
