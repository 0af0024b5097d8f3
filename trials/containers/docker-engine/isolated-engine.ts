import { spawn } from 'node:child_process'
import { existsSync, globSync, mkdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '../../../local/process/temporary-folder.ts'
import { CACHE, debianWithEngine } from './debian-folder.ts'

const ENTER = fileURLToPath(new URL('enter.sh', import.meta.url))

/** The control group of the engine's containers. It outlives the namespaces, so this program removes it. */
const GROUP = '/containers-test'

type IsolatedRun = {
  /** The file to run, with `--room` and the control group. */
  program: string
  /** Further options of the program. */
  options: readonly string[]
  /** Keeps the engine's data in the cache for the next run. */
  keepsImages: boolean
}

/**
 * Runs this program again, in separate namespaces and in a Debian where it can start a Docker engine. When that process ends for any
 * reason, the kernel ends every process in the namespaces, and removes their mounts, network interfaces and firewall rules.
 *
 * @returns the exit code of the second process
 * @throws Error with a sentence for the person at the terminal
 */
export async function runInNamespaces(run: IsolatedRun): Promise<number> {
  const { program, options, keepsImages } = run
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    throw new Error(
      '--start-engine needs Linux and root, because it creates namespaces and mounts.',
    )
  const debian = resolve(await debianWithEngine())
  const temporary = temporaryFolder('containers-test-')
  const images = keepsImages ? resolve(CACHE, 'images') : join(temporary, 'images')
  mkdirSync(images, { recursive: true })
  const namespaces = ['--mount', '--pid', '--fork', '--kill-child']
  const inside = [process.execPath, program, '--room', GROUP, ...options]
  const words = [...namespaces, 'sh', ENTER, debian, temporary, images, process.cwd(), ...inside]
  createControlGroup()
  const room = spawn('unshare', words, { stdio: 'inherit' })
  const clear = () => {
    room.kill('SIGKILL')
    rmSync(temporary, { recursive: true, force: true, maxRetries: 5 })
  }
  process.once('exit', clear)
  const code = await new Promise<number | null>((resolve, reject) => {
    room.once('exit', resolve).once('error', reject)
  })
  process.off('exit', clear)
  clear()
  removeControlGroups()
  return code ?? 1
}

/**
 * Creates the control group with the CPU share of twelve processes. By default all containers together would get the share of one
 * process.
 */
function createControlGroup() {
  const [folder, file, share] = existsSync('/sys/fs/cgroup/cgroup.controllers')
    ? [`/sys/fs/cgroup${GROUP}`, 'cpu.weight', '1200']
    : [`/sys/fs/cgroup/cpu${GROUP}`, 'cpu.shares', '12288']
  mkdirSync(folder, { recursive: true })
  // The file is missing if the parent group does not control CPU shares.
  if (existsSync(join(folder, file))) writeFileSync(join(folder, file), share)
}

/** Removes the control groups, the deepest first. They are empty once their processes have ended. */
function removeControlGroups() {
  const folders = globSync([`/sys/fs/cgroup${GROUP}{,/**/}`, `/sys/fs/cgroup/*${GROUP}{,/**/}`])
  for (const folder of folders.sort((one, other) => other.length - one.length))
    try {
      rmdirSync(folder)
    } catch {
      // Another path of the same group, or a group with a process that is still ending.
    }
}
