import { installPacked, type PackedPackage } from '../../../../test/support/packed-package.ts'

/** Builds, packs and installs the package. The build adds the repository's licence. */
export function installPackedPlatform(): Promise<PackedPackage> {
  return installPacked({
    name: 'personhood-platform',
    workspace: 'packages/platform',
    extraFiles: ['README.md', 'docs'],
    sources:
      '{LICENSE,package-lock.json,{hasura,lib,local,oidc,packages,portal,webhooks}/**/*.*,ops/roles.sql}',
  })
}
