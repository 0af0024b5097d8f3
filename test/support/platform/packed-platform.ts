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
