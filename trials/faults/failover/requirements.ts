import { spawnSync } from 'node:child_process'

/** The Linux programs that the machines need, and their Debian packages. */
const PROGRAMS: Readonly<Record<string, string>> = {
  ip: 'iproute2',
  bridge: 'iproute2',
  unshare: 'util-linux',
  nsenter: 'util-linux',
  mount: 'mount',
  umount: 'mount',
  debootstrap: 'debootstrap',
}

/** The computer that runs the database machines. */
export type Host = {
  platform: string
  /** The user id of this process; undefined on systems without user ids. */
  userId: number | undefined
  hasProgram(name: string): boolean
}

/** This machine. */
export const host: Host = {
  platform: process.platform,
  userId: process.getuid?.(),
  hasProgram: (name) => spawnSync(name, ['--version']).error === undefined,
}

/** Lists the requirements that the computer does not meet, a sentence for each. */
export function findMissingRequirements({ platform, userId, hasProgram }: Host): string[] {
  if (platform !== 'linux')
    return ['test:failover needs Linux: each machine is a network namespace.']
  const packages = Object.entries(PROGRAMS).flatMap(([name, debianPackage]) =>
    hasProgram(name) ? [] : [debianPackage],
  )
  return [
    ...(userId === 0
      ? []
      : ['test:failover must run as root, to create networks and mount disks.']),
    ...(packages.length > 0
      ? [`Programs are missing; run: apt-get install ${[...new Set(packages)].join(' ')}`]
      : []),
  ]
}
