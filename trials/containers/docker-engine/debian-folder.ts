import { chmodSync, copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cachedFolder } from '../../../local/caches/cached-folder.ts'
import { mustRun } from '../programs.ts'

/** Debian testing. Older releases do not have PostgreSQL 18, which the compose file runs. */
const SUITE = 'testing'
const MIRROR = 'http://deb.debian.org/debian'

export const CACHE = '.cache/containers'

const ENGINE_PACKAGES = [
  'docker.io',
  'docker-cli',
  'docker-compose',
  'docker-buildx',
  'iptables',
  'iproute2',
  'slirp4netns',
  'ca-certificates',
]

/** apt-get, which also accepts an outdated list from a slow mirror. Signatures are still checked. */
const APT = ['apt-get', '-o', 'Acquire::Check-Valid-Until=false']

/**
 * Returns the path of a minimal Debian as a tar file, from which Docker can build the base images without a registry. Creates the file
 * once.
 *
 * @throws Error with a sentence for the person at the terminal
 */
export async function debianArchive(): Promise<string> {
  const folder = await cachedFolder(join(CACHE, 'archive'), async (unfinished) => {
    await requireDebootstrap()
    const tree = join(unfinished, 'tree')
    await mustRun(['debootstrap', '--variant=minbase', SUITE, tree, MIRROR])
    const archive = join(unfinished, 'debian.tar')
    await mustRun(['tar', '--create', '--file', archive, '--directory', tree, '.'])
    await mustRun(['rm', '-rf', '--one-file-system', tree])
  })
  return join(folder, 'debian.tar')
}

/** Returns a folder with Debian and a Docker engine. Creates the folder once. */
export async function debianWithEngine(): Promise<string> {
  const archive = await debianArchive()
  return cachedFolder(join(CACHE, 'debian'), async (unfinished) => {
    await mustRun(['tar', '--extract', '--file', archive, '--directory', unfinished])
    chmodSync(unfinished, 0o755)
    // Installing a service here must not start it.
    const policy = join(unfinished, 'usr/sbin/policy-rc.d')
    writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 })
    copyFileSync('/etc/resolv.conf', join(unfinished, 'etc/resolv.conf'))
    const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', DEBIAN_FRONTEND: 'noninteractive' }
    const install = ['install', '--yes', '--no-install-recommends', ...ENGINE_PACKAGES]
    await mustRun(['chroot', unfinished, ...APT, 'update'], { env })
    await mustRun(['chroot', unfinished, ...APT, ...install], { env })
  })
}

async function requireDebootstrap() {
  await mustRun(['debootstrap', '--version']).catch((cause: unknown) => {
    throw new Error('debootstrap is missing. Run apt-get install debootstrap.', { cause })
  })
}
