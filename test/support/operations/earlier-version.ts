import { execFileSync, spawnSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../../local/process/temporary-folder.ts'

/** A migration of 0.9.0 that a later commit replaced. The parent of that commit has the schema of 0.9.0. */
const REPLACED_MIGRATION = 'hasura/migrations/default/1763600099300_verified_while_deleted/up.sql'

export type EarlierVersion = { folder: string } | { missing: string }

/**
 * Unpacks version 0.9.0 from the history of this repository into a temporary folder. Its services use the packages of this
 * version. `missing` says why the history does not have it.
 */
export function unpackEarlierVersion(): EarlierVersion {
  const isShallow = git('rev-parse', '--is-shallow-repository')
  if (isShallow === null) return { missing: 'this folder is not a clone of the repository' }
  if (isShallow === 'true') return { missing: 'this clone is shallow: run git fetch --unshallow' }
  const replacement = git('log', '-1', '--format=%H', '--', REPLACED_MIGRATION)
  if (!replacement) return { missing: `no commit has ${REPLACED_MIGRATION}` }
  const folder = temporaryFolder('earlier-version-')
  const archive = execFileSync('git', ['archive', `${replacement}^`], { maxBuffer: 200_000_000 })
  execFileSync('tar', ['--extract', '--directory', folder], { input: archive })
  symlinkSync(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'))
  return { folder }
}

/** Runs git, and returns its output, or null if it fails. */
function git(...words: string[]): string | null {
  const { status, stdout } = spawnSync('git', words, { encoding: 'utf8' })
  return status === 0 ? stdout.trim() : null
}
