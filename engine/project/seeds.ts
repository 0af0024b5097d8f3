import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
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
