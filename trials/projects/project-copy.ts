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
import type { FoundProject } from './find-projects.ts'

/** A copy of a project, which the engine may write into. */
export type ProjectCopy = {
  folder: string
  /** Its metadata as one document; null where it cannot be read. */
  document: Record<string, unknown> | null
  remove(): void
}

/**
 * Copies a project's folder; without config.yaml, which Hasura's image does not need, with the shortest one. Links become what they
 * lead to, so that nothing outside of the copy is ever written.
 *
 * @throws Error where config.yaml leads out of the project
 */
export async function copyProject({
  checkout,
  folder: original,
}: FoundProject): Promise<ProjectCopy> {
  const home = temporaryFolder('hasura project ')
  const remove = () => rmSync(home, { recursive: true, force: true })
  process.once('exit', remove)
  const folder = join(home, 'project')
  const filter = (path: string) => !LEFT_OUT.has(basename(path)) && staysIn(checkout, path)
  cpSync(original, folder, { recursive: true, dereference: true, filter })
  if (!existsSync(join(folder, 'config.yaml')))
    writeFileSync(join(folder, 'config.yaml'), 'version: 3\n')
  // The author's own names what only the author reaches.
  writeFileSync(join(folder, '.env'), '')
  const { metadataDir } = await readProject({ project: folder }, {}).catch(() => ({
    metadataDir: folder,
  }))
  if (!isInside(metadataDir, folder))
    throw new Error('metadata_directory of config.yaml leads out of the project')
  leadNowhere(metadataDir)
  const document = await readDocument(folder)
  const variables = Object.entries({ ...variablesFor(document), ...authorSettings(checkout) })
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

const LEFT_OUT = new Set(['node_modules', '.git'])

/** Whether a file is there, and a link leads neither out of the checkout nor to a folder that the link is in. */
function staysIn(checkout: string, path: string): boolean {
  if (!existsSync(path)) return false
  if (!lstatSync(path).isSymbolicLink()) return true
  const target = realpathSync(path)
  return isInside(target, realpathSync(checkout)) && !isInside(path, target)
}

function isInside(path: string, folder: string): boolean {
  return `${path}/`.startsWith(`${folder}/`)
}

/** Triggers, actions and remote schemas must reach nobody: replaces each address that the metadata has itself. */
function leadNowhere(metadataDir: string): void {
  for (const file of globSync('**/*.{yaml,yml,json}', { cwd: metadataDir })) {
    const path = join(metadataDir, file)
    const text = readFileSync(path, 'utf8')
    writeFileSync(path, text.replace(/https?:\/\/[\w.:-]+/g, NOWHERE))
  }
}

/** A project's metadata as one document, without defaults; null where it cannot be read. */
export async function readDocument(folder: string): Promise<Record<string, unknown> | null> {
  try {
    const { metadataDir } = await readProject({ project: folder }, {})
    return await readMetadataDocument(metadataDir)
  } catch {
    return null
  }
}

/** Nothing listens there. */
const NOWHERE = 'http://127.0.0.1:9'

/** What its author would set for the metadata to be complete: addresses where nobody answers. */
function variablesFor(document: Record<string, unknown> | null): Record<string, string> {
  const { sources, ...rest } = document ?? {}
  const names = new Set<string>()
  collectNames(rest, names)
  // The addresses of databases are for `dev`.
  for (const source of isList(sources) ? sources : [])
    if (isRecord(source)) collectNames({ ...source, configuration: null }, names)
  return Object.fromEntries([...names].map((name) => [name, NOWHERE]))
}

/** The variables that a part of the metadata takes values from. */
function collectNames(value: unknown, names: Set<string>): void {
  if (isList(value)) for (const item of value) collectNames(item, names)
  else if (isRecord(value))
    for (const [key, item] of Object.entries(value)) {
      if (key.endsWith('from_env') && typeof item === 'string') names.add(item)
      else if (ADDRESSES.has(key) && typeof item === 'string')
        for (const [, name] of item.matchAll(/\{\{\s*([A-Za-z_]\w*)\s*\}\}/g))
          names.add(String(name))
      else collectNames(item, names)
    }
}

/** Where `{{NAME}}` is a variable, and no expression of a template. */
const ADDRESSES: ReadonlySet<string> = new Set(['handler', 'webhook', 'url'])
