import { execFile } from 'node:child_process'
import { hash } from 'node:crypto'
import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findPackagedFile } from '../../lib/runtime/ready-made.ts'
import { cachedFolder } from '../../local/caches/cached-folder.ts'

/** The files that the build depends on. */
const SOURCES = [
  'portal/**/*.{ts,tsx,css,html,json}',
  'lib/design/*',
  'webhooks/{accounts,route}/*.ts',
  'oidc/{clients/response-types.ts,page/bridge.js}',
  'lib/proof/verification-level.ts',
  'examples/{sign-in,verify}/*',
  'examples/idkit/{page,page-2}.jsx',
  'package-lock.json',
]

/**
 * Returns the folder with the portal's files. The package contains them. A clone builds them when the sources have changed.
 *
 * @param cache the folder for the results: it gets a folder for each state of the sources
 * @param signal ends the build and removes its files
 * @returns the folder with `index.html`, `assets/` and `pages.json`
 */
export async function ensurePortal(cache: string, signal?: AbortSignal): Promise<string> {
  const packagedFolder = findPackagedFile('portal')
  if (packagedFolder) return packagedFolder
  const folder = join(cache, `portal-${await hashSources()}`)
  return cachedFolder(folder, (unfinished) => buildApart(unfinished, signal))
}

/** Builds the portal in a child process, because Vite needs another NODE_ENV, and is not needed afterwards. */
async function buildApart(folder: string, signal: AbortSignal | undefined) {
  const command = join(import.meta.dirname, 'command.ts')
  await promisify(execFile)(process.execPath, [command, folder], { signal })
}

async function hashSources(): Promise<string> {
  const root = join(import.meta.dirname, '../..')
  const hashes = globSync(SOURCES, { cwd: root })
    .sort()
    .map(async (file) => {
      const text = await readFile(join(root, file))
      return `${file} ${hash('sha256', text)}`
    })
  return hash('sha256', (await Promise.all(hashes)).join('\n')).slice(0, 16)
}
