import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import type { Account } from './accounts.ts'
import type { Installation } from './running-server.ts'

/** A user who has only Node and npm. */
export type NewUser = {
  /** The folder of the whole run. */
  folder: string
  version: string
  /** The folder of the `node` program. */
  bin: string
  account: Account
}

/** Runs the work in a new installation, and deletes the installation's folder afterwards. */
export async function withInstallation<Result>(
  user: NewUser,
  name: string,
  work: (installation: Installation) => Promise<Result>,
): Promise<Result> {
  const installation = createInstallation(user, name)
  try {
    return await work(installation)
  } finally {
    await removeFolder(installation.cwd)
  }
}

/** Deletes the user's home with its npm cache. */
export function removeHome(user: NewUser): Promise<void> {
  return removeFolder(homeOf(user))
}

/** Deletes a folder as far as possible; the run deletes the remaining files when it exits. */
function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 5 }).catch(() => {})
}

function homeOf({ folder, version, account }: NewUser): string {
  return join(folder, `${account.name} on ${version}`)
}

/** Creates a folder with spaces in its name, and an environment with the npm cache in the user's home. */
function createInstallation(user: NewUser, name: string): Installation {
  const { bin, account } = user
  const home = homeOf(user)
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

/** Makes the account the owner of its home and the files in it. */
export function chownHome({ env, account: { uid, gid } }: Installation): void {
  if (uid !== undefined) spawnSync('chown', ['-R', `${uid}:${gid}`, env.HOME ?? ''])
}

/** The variables with which this machine reaches the registry. */
function networkVariables(): Record<string, string> {
  const isOfNetwork = /^(https?_proxy|no_proxy|node_extra_ca_certs|npm_config_(registry|cafile))$/i
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      isOfNetwork.test(name) && value !== undefined ? [[name, value]] : [],
    ),
  )
}
