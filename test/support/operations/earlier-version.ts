import { execFileSync, spawnSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../../local/process/temporary-folder.ts'

/** A migration of 0.9.0 that a later commit replaced. The parent of that commit has the schema of 0.9.0. */
const REPLACED_MIGRATION = 'hasura/migrations/default/1763600099300_verified_while_deleted/up.sql'

type EarlierVersion = { commit: string } | { missing: string }

/** Finds the last commit of version 0.9.0 in the history of this repository. `missing` says why the history lacks it. */
export function findEarlierVersion(): EarlierVersion {
  const isShallow = git('rev-parse', '--is-shallow-repository')
  if (isShallow === null) return { missing: 'this folder is not a clone of the repository' }
  if (isShallow === 'true') return { missing: 'this clone is shallow: run git fetch --unshallow' }
  const replacement = git('log', '-1', '--format=%H', '--', REPLACED_MIGRATION)
  if (!replacement) return { missing: `no commit has ${REPLACED_MIGRATION}` }
  return { commit: `${replacement}^` }
}

/**
 * Unpacks a version into a temporary folder. The unpacked services use the packages of the current checkout.
 *
 * @returns the folder
 */
export function unpackVersion(commit: string): string {
  const folder = temporaryFolder('earlier-version-')
  const archive = execFileSync('git', ['archive', commit], { maxBuffer: 200_000_000 })
  execFileSync('tar', ['--extract', '--directory', folder], { input: archive })
  symlinkSync(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'))
  return folder
}

/** Runs git, and returns its output, or null if it fails. */
function git(...words: string[]): string | null {
  const { status, stdout } = spawnSync('git', words, { encoding: 'utf8' })
  return status === 0 ? stdout.trim() : null
}
