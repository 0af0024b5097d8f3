import {
  cpSync,
  existsSync,
  globSync,
  lstatSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { temporaryFolder } from '../../local/process/temporary-folder.ts'
import { isList, isRecord } from '../../packages/engine/json/record.ts'
import { readMetadataDocument } from '../../packages/engine/metadata/folder/read-metadata-folder.ts'
import { readProject } from '../../packages/engine/project/project.ts'
import { authorSettings } from './author-settings.ts'
import type { HasuraProject } from './find-projects.ts'

/** A copy of a project that the engine may change. */
export type ProjectCopy = {
  folder: string
  /** The metadata as one object; null if it cannot be read. */
  document: Record<string, unknown> | null
  remove(): void
}

/**
 * Copies a project's folder. Adds a minimal config.yaml if there is none, because Hasura's image does not need one. Replaces
 * links by the files they point to, and leaves out links that lead out of the checkout. So nothing outside the copy is ever
 * written.
 *
 * @throws Error if config.yaml names a folder outside the project
 */
export async function copyProject({
  checkout,
  folder: original,
}: HasuraProject): Promise<ProjectCopy> {
  const home = temporaryFolder('hasura project ')
  const remove = () => rmSync(home, { recursive: true, force: true })
  process.once('exit', remove)
  const folder = join(home, 'project')
  const filter = (path: string) => !EXCLUDED_FOLDERS.has(basename(path)) && staysIn(checkout, path)
  cpSync(original, folder, { recursive: true, dereference: true, filter })
  if (!existsSync(join(folder, 'config.yaml')))
    writeFileSync(join(folder, 'config.yaml'), 'version: 3\n')
  // The author's `.env` names servers of the author.
  writeFileSync(join(folder, '.env'), '')
  const { metadataDir } = await readProject({ project: folder }, {}).catch(() => ({
    metadataDir: folder,
  }))
  if (!isInside(metadataDir, folder))
    throw new Error('metadata_directory of config.yaml must be inside the project')
  replaceUrls(metadataDir)
  const document = await readDocument(folder)
  const variables = Object.entries({
    ...createStandInVariables(document),
    ...authorSettings(checkout),
  })
  writeFileSync(
    join(folder, '.env'),
    variables.map(([name, value]) => `${name}=${value}\n`).join(''),
  )
  return {
    folder,
    document,
    remove() {
      process.off('exit', remove)
      remove()
    },
  }
}

const EXCLUDED_FOLDERS = new Set(['node_modules', '.git'])

/** Reports whether a file exists, and is not a link out of the checkout or to a folder that contains the link. */
function staysIn(checkout: string, path: string): boolean {
  if (!existsSync(path)) return false
  if (!lstatSync(path).isSymbolicLink()) return true
  const target = realpathSync(path)
  return isInside(target, realpathSync(checkout)) && !isInside(path, target)
}

function isInside(path: string, folder: string): boolean {
  return `${path}/`.startsWith(`${folder}/`)
}

/** Replaces each URL in the metadata, so that triggers, actions and remote schemas reach no server. */
function replaceUrls(metadataDir: string): void {
  for (const file of globSync('**/*.{yaml,yml,json}', { cwd: metadataDir })) {
    const path = join(metadataDir, file)
    const text = readFileSync(path, 'utf8')
    writeFileSync(path, text.replace(/https?:\/\/[\w.:-]+/g, NOWHERE))
  }
}

/** Reads a project's metadata as one object, without defaults; null if it cannot be read. */
export async function readDocument(folder: string): Promise<Record<string, unknown> | null> {
  try {
    const { metadataDir } = await readProject({ project: folder }, {})
    return await readMetadataDocument(metadataDir)
  } catch {
    return null
  }
}

/** A URL where nothing listens. */
const NOWHERE = 'http://127.0.0.1:9'

/** Returns a value for each variable that the metadata names: a URL where nothing listens. */
function createStandInVariables(document: Record<string, unknown> | null): Record<string, string> {
  const { sources, ...rest } = document ?? {}
  const names = new Set<string>()
  collectNames(rest, names)
  // `dev` sets the database URLs.
  for (const source of isList(sources) ? sources : [])
    if (isRecord(source)) collectNames({ ...source, configuration: null }, names)
  return Object.fromEntries([...names].map((name) => [name, NOWHERE]))
}

/** Collects the names of the environment variables that a part of the metadata uses. */
function collectNames(value: unknown, names: Set<string>): void {
  if (isList(value)) for (const item of value) collectNames(item, names)
  else if (isRecord(value))
    for (const [key, item] of Object.entries(value)) {
      if (key.endsWith('from_env') && typeof item === 'string') names.add(item)
      else if (URL_KEYS.has(key) && typeof item === 'string')
        for (const [, name] of item.matchAll(/\{\{\s*([A-Za-z_]\w*)\s*\}\}/g))
          names.add(String(name))
      else collectNames(item, names)
    }
}

/**
 * The keys of values in which `{{NAME}}` is an environment variable. In values of other keys, it is an expression of a
 * template.
 */
const URL_KEYS: ReadonlySet<string> = new Set(['handler', 'webhook', 'url'])
