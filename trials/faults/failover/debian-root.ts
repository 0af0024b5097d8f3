import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** The first Debian with PostgreSQL 18 and a PgBouncer that supports prepared statements. */
const SUITE = 'forky'
const MIRROR = 'http://deb.debian.org/debian'

const PACKAGES = [
  'postgresql-18',
  'patroni',
  // Patroni imports these to connect to etcd.
  'python3-etcd',
  'python3-dnspython',
  'etcd-server',
  'haproxy',
  'pgbouncer',
  // The faults use these: a clock that jumps, and rules that drop packets.
  'faketime',
  'nftables',
]

/** Arguments: the folder, the suite, the mirror, the packages. Uses the script of `sid`, since debootstrap may not know the suite. */
const INSTALL_SCRIPT = `
root=$1 suite=$2 mirror=$3; shift 3
debootstrap --variant=minbase "$suite" "$root" "$mirror" /usr/share/debootstrap/scripts/sid
# The installation must start no service, and create no database.
printf '#!/bin/sh\\nexit 101\\n' > "$root/usr/sbin/policy-rc.d"
chmod +x "$root/usr/sbin/policy-rc.d"
mkdir -p "$root/etc/postgresql-common"
echo 'create_main_cluster = false' > "$root/etc/postgresql-common/createcluster.conf"
cp /etc/resolv.conf "$root/etc/resolv.conf"
mount -t proc proc "$root/proc"
DEBIAN_FRONTEND=noninteractive chroot "$root" apt-get install --yes --no-install-recommends "$@"
chroot "$root" apt-get clean
`

/**
 * Returns the folder of a Debian with the machines' programs. The first call installs it with debootstrap, which downloads
 * 200 MB and takes three minutes.
 *
 * @param cache the folder that keeps the Debian for later calls
 * @throws Error if the installation fails
 */
export function installDebian(cache: string): string {
  const recipe = hash('sha256', JSON.stringify([SUITE, PACKAGES, INSTALL_SCRIPT])).slice(0, 16)
  const root = join(cache, `debian-${recipe}`)
  if (existsSync(root)) return root
  console.info('Installing a Debian for the machines (only the first time) …')
  mkdirSync(cache, { recursive: true })
  const unfinished = `${root}-unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  // The script runs in a separate mount namespace, so that no mount is left behind.
  const options = [
    '--mount',
    'sh',
    '-ec',
    INSTALL_SCRIPT,
    'sh',
    unfinished,
    SUITE,
    MIRROR,
    ...PACKAGES,
  ]
  execFileSync('unshare', options, { stdio: ['ignore', 'ignore', 'inherit'] })
  renameSync(unfinished, root)
  return root
}
