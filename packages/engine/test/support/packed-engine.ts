import { installPacked, type PackedPackage } from '../../../../test/support/packed-package.ts'

/** The engine as npm publishes it, installed in an empty folder. */
export type PackedEngine = PackedPackage

/** @param optional the optional packages to install too */
export function installPackedEngine(optional: readonly string[]): Promise<PackedEngine> {
  return installPacked({
    name: 'postgres-graphql-engine',
    workspace: 'packages/engine',
    extraFiles: ['README.md', 'LICENSE', 'docs'],
    sources: '{packages/engine,lib/runtime,local}/**/*.*',
    extraPackages: optional,
  })
}
