import { existsSync } from 'node:fs'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type MetadataFiles, SOURCE_FOLDERS } from './metadata-files.ts'

/**
 * Writes the files of a metadata folder, and removes the files of objects that no longer exist. Keeps all other files.
 *
 * @returns the numbers of written and removed files
 */
export async function writeMetadataFolder(folder: string, files: MetadataFiles) {
  for (const [path, text] of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  const obsolete = (await objectFiles(folder)).filter((path) => !files.has(path))
  for (const path of obsolete) await rm(join(folder, path))
  return { writtenFiles: files.size, removedFiles: obsolete.length }
}

/** Lists the files of the objects of all sources. */
async function objectFiles(folder: string): Promise<string[]> {
  const databases = join(folder, 'databases')
  if (!existsSync(databases)) return []
  const files = await readdir(databases, { recursive: true })
  return files
    .map((file) => `databases/${file.replaceAll('\\', '/')}`)
    .filter((path) => OBJECT_FILE.test(path))
}

const OBJECT_FILE = new RegExp(`^databases/[^/]+/(${SOURCE_FOLDERS.join('|')})/[^/]+\\.yaml$`)
