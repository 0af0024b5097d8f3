import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Installs a version of Node by the npm package `node`, which supports the common platforms.
 *
 * @returns the folder of the `node` program; null if the version cannot be installed
 */
export function installNode(folder: string, version: string): string | null {
  const home = join(folder, `node ${version}`)
  mkdirSync(home)
  // An install script of the package fetches the program.
  const manifest = { allowScripts: { node: true } }
  writeFileSync(join(home, 'package.json'), JSON.stringify(manifest))
  const install = ['install', '--no-audit', '--no-fund', `node@${version}`]
  spawnSync('npm', install, { cwd: home, timeout: 180_000 })
  const bin = join(home, 'node_modules', '.bin')
  const { stdout } = spawnSync(join(bin, 'node'), ['--version'], { encoding: 'utf8' })
  return stdout?.startsWith(`v${version}`) ? bin : null
}
