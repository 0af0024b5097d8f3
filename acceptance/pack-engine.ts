import { spawnSync } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

/** Builds and packs the engine as `npm publish` does. @returns the tarball, in the folder */
export function packEngineFor(folder: string): string {
  const packed = spawnSync('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: 'engine',
    encoding: 'utf8',
    timeout: 180_000,
  })
  if (packed.status !== 0) throw new Error(`The engine cannot be packed: ${packed.stderr}`)
  const [{ filename }] = Packed.parse(JSON.parse(packed.stdout))
  // Under a name without the version, since the same version is packed anew in every run.
  const tarball = join(folder, 'engine.tgz')
  copyFileSync(join(folder, filename), tarball)
  return tarball
}

const Packed = z.tuple([z.looseObject({ filename: z.string() })])
