import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** The first Debian with PostgreSQL 18, and with a PgBouncer that knows prepared statements. */
const SUITE = 'forky'
const MIRROR = 'http://deb.debian.org/debian'

const PACKAGES = [
  'postgresql-18',
  'patroni',
  // What Patroni's connection to etcd imports.
  'python3-etcd',
  'python3-dnspython',
  'etcd-server',
  'haproxy',
  'pgbouncer',
  // To break it: a clock that jumps, and rules that drop packets.
  'faketime',
  'nftables',
]

/** Arguments: the folder, the suite, the mirror, the packages. debootstrap may not know the suite by name, but all are made alike. */
const MAKE = `
root=$1 suite=$2 mirror=$3; shift 3
debootstrap --variant=minbase "$suite" "$root" "$mirror" /usr/share/debootstrap/scripts/sid
# Nothing is started by its installation, and no database made.
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
 * The folder of a Debian with the programs of all machines, made by debootstrap the first time: a download of 200 MB,
 * and three minutes.
 *
 * @param cache where it is kept
 * @throws Error when it cannot be made
 */
export function debianRoot(cache: string): string {
  const recipe = hash('sha256', JSON.stringify([SUITE, PACKAGES, MAKE])).slice(0, 16)
  const root = join(cache, `debian-${recipe}`)
  if (existsSync(root)) return root
  console.info('Making a Debian for the machines, once …')
  mkdirSync(cache, { recursive: true })
  const unfinished = `${root}-unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  // With mounts of its own, so that none is left behind.
  const options = ['--mount', 'sh', '-ec', MAKE, 'sh', unfinished, SUITE, MIRROR, ...PACKAGES]
  execFileSync('unshare', options, { stdio: ['ignore', 'ignore', 'inherit'] })
  renameSync(unfinished, root)
  return root
}
