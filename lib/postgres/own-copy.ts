import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'

const Package = z.object({ version: z.string() })
const Links = z.array(z.object({ source: z.string(), target: z.string() }))

/** Whether a name in the data folder is that of a copy that `copyPrograms` made. */
export function isOwnCopy(name: string): boolean {
  return name.startsWith('postgres-programs-')
}

/**
 * Copies PostgreSQL's programs to where another account reaches them: `npx` puts packages into root's home folder, which
 * only root may enter. Copied once for each version (60 MB), whole or not at all.
 *
 * @param installed the folder `native` of the installed package
 * @param folder which the other account can enter
 * @returns the folder of the copied programs
 */
export function copyPrograms(installed: string, folder: string): string {
  const manifest = readFileSync(join(dirname(installed), 'package.json'), 'utf8')
  const copy = join(folder, `postgres-programs-${Package.parse(JSON.parse(manifest)).version}`)
  if (!existsSync(copy)) {
    const draft = `${copy}.draft`
    rmSync(draft, { recursive: true, force: true })
    requireDone(spawnSync('cp', ['-a', installed, draft], { encoding: 'utf8' }))
    requireDone(spawnSync('chmod', ['-R', 'go+rX', draft], { encoding: 'utf8' }))
    renameSync(draft, copy)
  }
  return join(copy, 'bin')
}

function requireDone({ status, stderr }: { status: number | null; stderr: string }): void {
  if (status !== 0) throw new Error(`PostgreSQL's programs could not be copied: ${stderr}`)
}

/**
 * Makes the links between libraries that the package's own script makes when it is installed, unless npm was told to run
 * none. Where that is not allowed, they stay away.
 *
 * @param installed the folder `native` of the installed package
 */
export function restoreLinks(installed: string): void {
  const list = join(installed, 'pg-symlinks.json')
  if (!existsSync(list)) return
  for (const { source, target } of Links.parse(JSON.parse(readFileSync(list, 'utf8')))) {
    const link = join(dirname(installed), target)
    try {
      if (!existsSync(link)) symlinkSync(basename(source), link)
    } catch {
      // It is there, or the folder is another's: what then does not start says why.
    }
  }
}
