import { installPacked, type PackedPackage } from '../../../../test/support/packed-package.ts'

/** The licence and the README are the repository's, and made or copied by the build. */
export function installPackedPlatform(): Promise<PackedPackage> {
  return installPacked({
    name: 'personhood-platform',
    workspace: 'packages/platform',
    beside: ['README.md', 'docs'],
    sources:
      '{LICENSE,package-lock.json,{hasura,lib,local,oidc,packages,portal,webhooks}/**/*.*,ops/roles.sql}',
  })
}
