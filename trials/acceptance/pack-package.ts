import { spawnSync } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

export type Workspace = 'engine' | 'platform'

/** Builds and packs a package of this repository as `npm publish` does. @returns the tarball, in the folder */
export function packPackage(workspace: Workspace, folder: string): string {
  const packed = spawnSync('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: join('packages', workspace),
    encoding: 'utf8',
    timeout: 300_000,
  })
  if (packed.status !== 0)
    throw new Error(`The package of ${workspace} cannot be made: ${packed.stderr}`)
  const [{ filename }] = Packed.parse(JSON.parse(packed.stdout))
  // Under a name without the version, since the same version is packed anew in every run.
  const tarball = join(folder, `${workspace}.tgz`)
  copyFileSync(join(folder, filename), tarball)
  return tarball
}

const Packed = z.tuple([z.looseObject({ filename: z.string() })])
