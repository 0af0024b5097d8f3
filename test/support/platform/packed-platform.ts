import { readFileSync } from 'node:fs'
import { installPacked, type PackedPackage } from '../packed-package.ts'

/** The licence and the README are the repository's, and made or copied by the build. */
export function installPackedPlatform(): Promise<PackedPackage> {
  return installPacked({
    name: 'personhood-platform',
    workspace: 'platform',
    beside: ['README.md', 'docs'],
    sources:
      '{LICENSE,package-lock.json,{chain,engine,hasura,lib,oidc,platform,portal,proof,simulator,verification,webhooks}/**/*.*,ops/roles.sql}',
  })
}

/** The packages of the lock, with what each installs. */
export function readLock(): Record<string, { license?: string; dependencies?: object }> {
  return JSON.parse(readFileSync('package-lock.json', 'utf8')).packages
}
