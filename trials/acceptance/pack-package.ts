import { spawnSync } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

export type Workspace = 'engine' | 'platform'

/** Builds and packs a package of this repository as `npm publish` does. @returns the path of the tarball in the folder */
export function packPackage(workspace: Workspace, folder: string): string {
  const pack = spawnSync('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: join('packages', workspace),
    encoding: 'utf8',
    timeout: 300_000,
  })
  if (pack.status !== 0) throw new Error(`npm pack failed for ${workspace}: ${pack.stderr}`)
  const [{ filename }] = PackOutput.parse(JSON.parse(pack.stdout))
  const tarball = join(folder, `${workspace}.tgz`)
  copyFileSync(join(folder, filename), tarball)
  return tarball
}

const PackOutput = z.tuple([z.looseObject({ filename: z.string() })])
