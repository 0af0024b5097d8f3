import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { endOrphanedChain } from '../../local/chain/anvil-state.ts'
import { removeCluster } from '../../local/postgres/cluster-place.ts'
import { endOrphanedPostgres } from '../../local/postgres/embedded-postgres.ts'
import { formatCommandLine, quoteForShell } from '../../local/process/format-command-line.ts'
import { type FolderLock, lockFolder } from '../../local/process/lock-folder.ts'
import { createRemovableFolder } from '../../local/process/removable-folder.ts'
import { removeFacts } from './facts.ts'
import { makePrivate } from './processes/private-files.ts'
import { requireFreePorts } from './processes/require-free-ports.ts'
import { hasSecrets, SECRETS_FILE } from './settings/secrets.ts'
import type { Settings } from './settings/settings.ts'

/** Returns the paths at which the parts keep their data. */
export function dataPaths(folder: string) {
  return { postgres: join(folder, 'postgres'), chain: join(folder, 'chain.json') }
}

/** The data folder that this process has locked. */
type DataFolder = FolderLock & {
  /** Undoes a failed start: removes the files and folders that the start has created. */
  removeNewFiles(): void
}

/**
 * Locks the data folder for this process, and makes sure that the platform can start. Deletes no data before it is certain
 * that no other platform uses the folder, and that every port is free.
 *
 * @param fresh true to delete the data of earlier starts
 * @throws Error with a message for the terminal
 */
export async function takeDataFolder(settings: Settings, fresh: boolean): Promise<DataFolder> {
  const { folder } = settings
  const removeNewFiles = createRemovableFolder(folder, ['.gitignore', SECRETS_FILE])
  try {
    requirePlatformFolder(folder)
    return { ...(await lockAndPrepare(settings, fresh)), removeNewFiles }
  } catch (error) {
    removeNewFiles()
    throw error
  }
}

async function lockAndPrepare(settings: Settings, fresh: boolean): Promise<FolderLock> {
  const { folder } = settings
  const lock = await lockFolder(folder)
  if ('ownerPid' in lock) throw new Error(explainLock(settings, lock.ownerPid))
  removeFacts(folder)
  try {
    const { postgres, chain } = dataPaths(folder)
    // No platform uses the folder. So a PostgreSQL or chain that still runs in it is left from a killed start, and holds ports.
    await endOrphanedPostgres(postgres)
    await endOrphanedChain(chain)
    await requireFreePorts(requiredPorts(settings))
    if (fresh) {
      removeCluster(postgres)
      rmSync(folder, { recursive: true, force: true })
    }
    await mkdir(folder, { recursive: true })
    makePrivate(folder, { mode: folderMode(settings), except: (name) => name === 'postgres' })
    // Git must ignore the folder, because it contains secrets and may be in a repository.
    writeFileSync(join(folder, '.gitignore'), '*\n')
    return lock
  } catch (error) {
    await lock.stop()
    throw error
  }
}

/**
 * Rejects a folder with files of other programs, so that their permissions do not change and --fresh does not delete them. A
 * platform's folder contains the secrets file, which a start writes before all other files except `.gitignore`.
 */
function requirePlatformFolder(folder: string): void {
  const isUnused = readdirSync(folder).every((name) => name === '.gitignore')
  if (isUnused || hasSecrets(join(folder, SECRETS_FILE))) return
  throw new Error(
    `${folder} contains files of another program. Choose a new or an empty folder with --data.`,
  )
}

function explainLock({ folder, ports }: Settings, process: number | null): string {
  const otherOptions = `--data ${quoteForShell(`${folder}-2`)} --ports ${ports.WEBHOOKS_PORT + 1_000}`
  return `Another platform${process ? ` (process ${process})` : ''} runs in ${folder} and keeps running. Stop it with Ctrl-C in its terminal, or start this one with another folder and other ports:
  ${formatCommandLine('start', otherOptions)}`
}

/** Returns the ports of the parts that this process starts. */
function requiredPorts({ ports, databaseUrl, hasura }: Settings): Record<string, number> {
  const { ENGINE_PORT, POSTGRES_PORT, ...otherPorts } = ports
  return {
    ...otherPorts,
    ...(!hasura && { ENGINE_PORT }),
    ...(!databaseUrl && { POSTGRES_PORT }),
  }
}

/** If root starts the platform, PostgreSQL runs as another account, which must be able to enter the data folder. */
function folderMode({ databaseUrl }: Settings): number {
  return process.getuid?.() === 0 && !databaseUrl ? 0o711 : 0o700
}
