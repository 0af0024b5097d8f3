import { spawn } from 'node:child_process'
import { existsSync, globSync, mkdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '../../../local/process/temporary-folder.ts'
import { CACHE, debianWithEngine } from './debian-folder.ts'

const ENTER = fileURLToPath(new URL('enter.sh', import.meta.url))

/** The engine's containers are in this control group: it alone is left when the namespaces are gone, and is removed. */
const GROUP = '/containers-test'

type Again = {
  /** The file that is run, with `--room` and the group of its containers. */
  program: string
  /** Further options of it. */
  options: readonly string[]
  /** Whether the engine's data stay in the cache for the next run. */
  keepsImages: boolean
}

/**
 * Runs this program once more, in namespaces of its own and a Debian with a Docker engine, which it may start there. When it
 * ends, however it ends, the kernel ends every process in them, and takes their mounts, interfaces and rules away.
 *
 * @returns its exit code
 * @throws Error with a sentence for the person at the terminal
 */
export async function runBesideOwnEngine(again: Again): Promise<number> {
  const { program, options, keepsImages } = again
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    throw new Error('--start-engine needs Linux, and root: namespaces and mounts are made.')
  const debian = resolve(await debianWithEngine())
  const temporary = temporaryFolder('containers-test-')
  const images = keepsImages ? resolve(CACHE, 'images') : join(temporary, 'images')
  mkdirSync(images, { recursive: true })
  const namespaces = ['--mount', '--pid', '--fork', '--kill-child']
  const inside = [process.execPath, program, '--room', GROUP, ...options]
  const words = [...namespaces, 'sh', ENTER, debian, temporary, images, process.cwd(), ...inside]
  makeGroup()
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
  removeGroups()
  return code ?? 1
}

/**
 * The containers together would get as much of a busy processor as one other process does: they get as much as a dozen, since they
 * are more than that.
 */
function makeGroup() {
  const [folder, file, share] = existsSync('/sys/fs/cgroup/cgroup.controllers')
    ? [`/sys/fs/cgroup${GROUP}`, 'cpu.weight', '1200']
    : [`/sys/fs/cgroup/cpu${GROUP}`, 'cpu.shares', '12288']
  mkdirSync(folder, { recursive: true })
  // Where nobody has given the group of all a say about processors, this one has none.
  if (existsSync(join(folder, file))) writeFileSync(join(folder, file), share)
}

/** Empty once their processes have ended; the deepest first. */
function removeGroups() {
  const folders = globSync([`/sys/fs/cgroup${GROUP}{,/**/}`, `/sys/fs/cgroup/*${GROUP}{,/**/}`])
  for (const folder of folders.sort((one, other) => other.length - one.length))
    try {
      rmdirSync(folder)
    } catch {
      // The same folder by another name, or one with a process that has not quite ended.
    }
}
