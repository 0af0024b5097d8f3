import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import { inRootFolder, makeRootFolder } from './root-folder.ts'

const Package = z.object({ version: z.string() })
const Links = z.array(z.object({ source: z.string(), target: z.string() }))

/**
 * Copies PostgreSQL's programs to a folder that another account can reach, because root's home folder often contains
 * them and only root may enter it. Copies each version (60 MB) once, and never partially.
 *
 * @param packageFolder the folder `native` of the installed package
 * @returns the folder of the copied programs
 * @throws Error with a message for the user at the terminal
 */
export function copyPrograms(packageFolder: string): string {
  const manifest = readFileSync(join(dirname(packageFolder), 'package.json'), 'utf8')
  const name = `programs-${Package.parse(JSON.parse(manifest)).version}`
  const copy = inRootFolder(name)
  makeRootFolder()
  if (!existsSync(copy)) {
    // Another process may be copying the programs at the same time, so the draft has this process's id in its name.
    const draft = inRootFolder(`${name}.${process.pid}.draft`)
    rmSync(draft, { recursive: true, force: true })
    // Root must own the copies, even if another account owns the originals: another owner could change the programs.
    requireSuccess(spawnSync('cp', ['-RP', packageFolder, draft], { encoding: 'utf8' }), draft)
    requireSuccess(spawnSync('chmod', ['-R', 'go+rX', draft], { encoding: 'utf8' }), draft)
    try {
      renameSync(draft, copy)
    } catch (error) {
      rmSync(draft, { recursive: true, force: true })
      if (!existsSync(copy)) throw error
    }
  }
  return join(copy, 'bin')
}

type ProcessResult = { status: number | null; stderr: string }

function requireSuccess({ status, stderr }: ProcessResult, draft: string): void {
  if (status === 0) return
  rmSync(draft, { recursive: true, force: true })
  throw new Error(`PostgreSQL's programs could not be copied to ${draft}: ${stderr}`)
}

/**
 * Creates the links between libraries that the package's install script creates, unless npm runs without install
 * scripts. Ignores links that cannot be created.
 *
 * @param packageFolder the folder `native` of the installed package
 */
export function restoreLinks(packageFolder: string): void {
  const list = join(packageFolder, 'pg-symlinks.json')
  if (!existsSync(list)) return
  for (const { source, target } of Links.parse(JSON.parse(readFileSync(list, 'utf8')))) {
    const link = join(dirname(packageFolder), target)
    try {
      if (!existsSync(link)) symlinkSync(basename(source), link)
    } catch {
      // The link exists, or the folder cannot be written. If a program then does not start, its error says why.
    }
  }
}
