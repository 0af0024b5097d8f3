import { chmodSync, copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cachedFolder } from '../../../local/caches/cached-folder.ts'
import { mustRun } from '../programs.ts'

/** Debian's testing: the first that has PostgreSQL 18, which is what the compose file runs. */
const SUITE = 'testing'
const MIRROR = 'http://deb.debian.org/debian'

/** Where what is made once is kept. */
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

/** A mirror may lag: what it has is signed all the same. */
const APT = ['apt-get', '-o', 'Acquire::Check-Valid-Until=false']

/**
 * Debian and nothing else, as a tar file that Docker can import, for the images that no registry gives; made once.
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

/** A folder with Debian and a Docker engine in it; made once. */
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
    throw new Error('debootstrap is not there: apt-get install debootstrap', { cause })
  })
}
