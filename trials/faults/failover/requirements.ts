import { spawnSync } from 'node:child_process'

/** Programs of Linux, with the Debian packages that have them. */
const PROGRAMS: Readonly<Record<string, string>> = {
  ip: 'iproute2',
  bridge: 'iproute2',
  unshare: 'util-linux',
  nsenter: 'util-linux',
  mount: 'mount',
  umount: 'mount',
  debootstrap: 'debootstrap',
}

/** The machine on which the databases are to run. */
export type Host = {
  platform: string
  /** The id of the account of this process; undefined where there are none. */
  userId: number | undefined
  hasProgram(name: string): boolean
}

/** This machine. */
export const host: Host = {
  platform: process.platform,
  userId: process.getuid?.(),
  hasProgram: (name) => spawnSync(name, ['--version']).error === undefined,
}

/** What the machine lacks, a sentence for each; nothing when the databases can run there. */
export function missingMeans({ platform, userId, hasProgram }: Host): string[] {
  if (platform !== 'linux')
    return ['It takes Linux: each machine is a network namespace, with processes of its own.']
  const packages = Object.entries(PROGRAMS).flatMap(([name, debianPackage]) =>
    hasProgram(name) ? [] : [debianPackage],
  )
  return [
    ...(userId === 0 ? [] : ['It takes root: networks are made and cut, and disks mounted.']),
    ...(packages.length > 0
      ? [`Programs are missing: apt-get install ${[...new Set(packages)].join(' ')}`]
      : []),
  ]
}
