import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import type { Account } from './accounts.ts'
import type { Place } from './running-server.ts'

/** Somebody who has Node and npm, and nothing of ours. */
export type Stranger = {
  /** The folder of the whole run. */
  folder: string
  version: string
  /** The folder of Node's program. */
  bin: string
  account: Account
}

/** A folder of the stranger's, whose name has spaces, and an environment with an empty npm cache. */
export function makePlace({ folder, version, bin, account }: Stranger, name: string): Place {
  const home = join(folder, `${account.name} on ${version}`)
  const cwd = join(home, `${name} app`)
  mkdirSync(cwd, { recursive: true })
  const npm = dirname(spawnSync('which', ['npm'], { encoding: 'utf8' }).stdout.trim())
  const env = {
    ...networkVariables(),
    PATH: [bin, npm, '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter),
    HOME: home,
    npm_config_cache: join(home, 'npm cache'),
    npm_config_update_notifier: 'false',
  }
  return { cwd, account, env }
}

/** Gives the stranger what was put there. */
export function handOver({ env, account: { uid, gid } }: Place): void {
  if (uid !== undefined) spawnSync('chown', ['-R', `${uid}:${gid}`, env.HOME ?? ''])
}

/** How this machine reaches the registry. */
function networkVariables(): Record<string, string> {
  const isOfNetwork = /^(https?_proxy|no_proxy|node_extra_ca_certs|npm_config_(registry|cafile))$/i
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      isOfNetwork.test(name) && value !== undefined ? [[name, value]] : [],
    ),
  )
}
