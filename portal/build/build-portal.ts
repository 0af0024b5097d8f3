import { hash } from 'node:crypto'
import { globSync } from 'node:fs'
import { glob, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import { cachedFolder } from '../../lib/cached-folder.ts'
import { PAGE_PATHS } from '../app/page-paths.ts'

/** What the built files depend on. */
const SOURCES = [
  'portal/**/*.{ts,tsx,css,html,json}',
  'lib/design/*',
  'webhooks/{accounts,route}/*.ts',
  'package-lock.json',
]

/**
 * The portal's files, built if its sources have changed since they were last built.
 *
 * @param cache a folder in which there is one for each state of the sources
 * @returns the folder with `index.html`, `assets/` and `pages.json`
 */
export async function builtPortal(cache: string): Promise<string> {
  return cachedFolder(join(cache, `portal-${await hashSources()}`), buildPortal)
}

/** Builds the portal into a folder, with each file compressed beside it, since they are served more often than built. */
export async function buildPortal(folder: string): Promise<void> {
  const [{ build }, { viteConfig }] = await Promise.all([
    import('vite'),
    import('./vite-config.ts'),
  ])
  // Vite would take a relative path for one from the sources.
  await build({ ...viteConfig, build: { ...viteConfig.build, outDir: resolve(folder) } })
  await writeFile(join(folder, 'pages.json'), JSON.stringify(PAGE_PATHS))
  for await (const name of glob('assets/*.{js,css,svg}', { cwd: folder }))
    await compressFile(join(folder, name))
}

async function compressFile(file: string) {
  const text = await readFile(file)
  const [br, gz] = await Promise.all([promisify(brotliCompress)(text), promisify(gzip)(text)])
  await Promise.all([writeFile(`${file}.br`, br), writeFile(`${file}.gz`, gz)])
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
