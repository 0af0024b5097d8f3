import { execFile } from 'node:child_process'
import { hash } from 'node:crypto'
import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { madeAhead } from '../../lib/runtime/made-ahead.ts'
import { cachedFolder } from '../../local/caches/cached-folder.ts'

/** What the built files depend on. */
const SOURCES = [
  'portal/**/*.{ts,tsx,css,html,json}',
  'lib/design/*',
  'webhooks/{accounts,route}/*.ts',
  'oidc/{clients/response-types.ts,page/bridge.js}',
  'lib/proof/verification-level.ts',
  'docs/{calls,sign-in}.md',
  'examples/idkit/page.jsx',
  'package-lock.json',
]

/**
 * The portal's files: the package has them; from the sources they are built, if those have changed since the last time.
 *
 * @param cache a folder in which there is one for each state of the sources
 * @param signal ends the build, and leaves nothing of it
 * @returns the folder with `index.html`, `assets/` and `pages.json`
 */
export async function builtPortal(cache: string, signal?: AbortSignal): Promise<string> {
  const made = madeAhead('portal')
  if (made) return made
  const folder = join(cache, `portal-${await hashSources()}`)
  return cachedFolder(folder, (unfinished) => buildApart(unfinished, signal))
}

/** In a process of its own, since the builder goes by NODE_ENV, and is not needed afterwards. */
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
