import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { endOrphanedChain } from '../../local/chain/anvil-state.ts'
import { removeCluster } from '../../local/postgres/cluster-place.ts'
import { endOrphanedPostgres } from '../../local/postgres/embedded-postgres.ts'
import { type FolderLock, lockFolder } from '../../local/process/lock-folder.ts'
import { ownCommand, quoted } from '../../local/process/own-command.ts'
import { undoFolder } from '../../local/process/undo-folder.ts'
import { makePrivate } from './processes/private-files.ts'
import { requireFreePorts } from './processes/require-free-ports.ts'
import { hasSecrets, SECRETS_FILE } from './settings/secrets.ts'
import type { Settings } from './settings/settings.ts'

/** Where each part keeps its data. */
export function dataPaths(folder: string) {
  return { postgres: join(folder, 'postgres'), chain: join(folder, 'chain.json') }
}

/** The data folder of this process. */
type DataFolder = FolderLock & {
  /** Removes what was made in it since, and the folder, unless they were there before: for a start that is refused. */
  undo(): void
}

/**
 * Takes the data folder for this process, and makes sure that everything can be started in it. Nothing is changed before
 * it is certain that nobody lives there and that every port is free.
 *
 * @param fresh whether to delete what an earlier start left there
 * @throws Error with a sentence for the person at the terminal
 */
export async function takeDataFolder(settings: Settings, fresh: boolean): Promise<DataFolder> {
  const { folder } = settings
  const undo = undoFolder(folder, ['.gitignore', SECRETS_FILE])
  try {
    requireOwnFolder(folder)
    return { ...(await lockAndPrepare(settings, fresh)), undo }
  } catch (error) {
    undo()
    throw error
  }
}

async function lockAndPrepare(settings: Settings, fresh: boolean): Promise<FolderLock> {
  const { folder } = settings
  const lock = await lockFolder(folder)
  if ('takenBy' in lock) throw new Error(explainTaken(settings, lock.takenBy))
  try {
    const { postgres, chain } = dataPaths(folder)
    // Since nobody lives here, they were left by a start that was killed, and hold its ports.
    await endOrphanedPostgres(postgres)
    await endOrphanedChain(chain)
    await requireFreePorts(portsToBeFree(settings))
    if (fresh) {
      removeCluster(postgres)
      rmSync(folder, { recursive: true, force: true })
    }
    await mkdir(folder, { recursive: true })
    makePrivate(folder, { mode: folderMode(settings), except: (name) => name === 'postgres' })
    // It may be in somebody's repository, and holds secrets.
    writeFileSync(join(folder, '.gitignore'), '*\n')
    return lock
  } catch (error) {
    await lock.stop()
    throw error
  }
}

/**
 * Others' files are neither closed to others nor deleted. The secrets are the first thing that a start keeps; another program may have
 * a file of that name.
 */
function requireOwnFolder(folder: string): void {
  const isUnused = readdirSync(folder).every((name) => name === '.gitignore')
  if (isUnused || hasSecrets(join(folder, SECRETS_FILE))) return
  throw new Error(
    `${folder} holds other things than the data of this platform: choose a new or an empty folder with --data.`,
  )
}

function explainTaken({ folder, ports }: Settings, process: number | null): string {
  const own = `--data ${quoted(`${folder}-2`)} --ports ${ports.WEBHOOKS_PORT + 1_000}`
  return `Another platform${process ? ` (process ${process})` : ''} runs in ${folder}, and goes on as before. End it with Ctrl-C in its terminal, or give this one a folder and ports of its own:
  ${ownCommand('start', own)}`
}

/** The ports of what is started here. */
function portsToBeFree({ ports, databaseUrl, hasura }: Settings): Record<string, number> {
  const { ENGINE_PORT, POSTGRES_PORT, ...others } = ports
  return {
    ...others,
    ...(!hasura && { ENGINE_PORT }),
    ...(!databaseUrl && { POSTGRES_PORT }),
  }
}

/** Started by root, PostgreSQL runs as another account, which must be able to pass through to its own folder. */
function folderMode({ databaseUrl }: Settings): number {
  return process.getuid?.() === 0 && !databaseUrl ? 0o711 : 0o700
}
