import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import { inRootFolder, makeRootFolder } from './root-folder.ts'

const Package = z.object({ version: z.string() })
const Links = z.array(z.object({ source: z.string(), target: z.string() }))

/**
 * Copies PostgreSQL's programs to where another account reaches them: what root installs is often in root's home folder, which
 * only root may enter. Copied once for each version (60 MB), whole or not at all.
 *
 * @param installed the folder `native` of the installed package
 * @returns the folder of the copied programs
 * @throws Error with a sentence for the person at the terminal
 */
export function copyPrograms(installed: string): string {
  const manifest = readFileSync(join(dirname(installed), 'package.json'), 'utf8')
  const name = `programs-${Package.parse(JSON.parse(manifest)).version}`
  const copy = inRootFolder(name)
  makeRootFolder()
  if (!existsSync(copy)) {
    // Another process may be copying them, too.
    const draft = inRootFolder(`${name}.${process.pid}.draft`)
    rmSync(draft, { recursive: true, force: true })
    // The copies are root's, whoever owns the originals: another owner could change what is run.
    requireDone(spawnSync('cp', ['-RP', installed, draft], { encoding: 'utf8' }), draft)
    requireDone(spawnSync('chmod', ['-R', 'go+rX', draft], { encoding: 'utf8' }), draft)
    try {
      renameSync(draft, copy)
    } catch (error) {
      rmSync(draft, { recursive: true, force: true })
      if (!existsSync(copy)) throw error
    }
  }
  return join(copy, 'bin')
}

type Done = { status: number | null; stderr: string }

function requireDone({ status, stderr }: Done, draft: string): void {
  if (status === 0) return
  rmSync(draft, { recursive: true, force: true })
  throw new Error(`PostgreSQL's programs could not be copied to ${draft}: ${stderr}`)
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
