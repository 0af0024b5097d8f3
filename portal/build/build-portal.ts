import { glob, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import { build } from 'vite'
import { PAGE_PATHS } from '../settings/page-paths.ts'
import { viteConfig } from './vite-config.ts'

/** Builds the portal into a folder. Also writes compressed copies of its assets, so that serving them costs no compression. */
export async function buildPortal(folder: string): Promise<void> {
  await build({
    ...viteConfig,
    // Vite resolves a relative path from the sources.
    build: { ...viteConfig.build, outDir: resolve(folder) },
  })
  await writeFile(join(folder, 'pages.json'), JSON.stringify(PAGE_PATHS))
  for await (const name of glob('assets/*.{js,css,svg}', { cwd: folder }))
    await compressFile(join(folder, name))
}

async function compressFile(file: string) {
  const text = await readFile(file)
  const [br, gz] = await Promise.all([promisify(brotliCompress)(text), promisify(gzip)(text)])
  await Promise.all([writeFile(`${file}.br`, br), writeFile(`${file}.gz`, gz)])
}
