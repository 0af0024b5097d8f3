import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WrongUsage } from '../../../../local/process/command-line.ts'
import { recordDataFolder } from '../../../../local/process/data-folders.ts'
import { killChildren } from '../../../../local/process/end-with-parent.ts'
import { formatCommandLine } from '../../../../local/process/format-command-line.ts'
import { explainFullDisks } from '../../../../local/process/full-disk.ts'
import { createRemovableFolder } from '../../../../local/process/removable-folder.ts'
import { writeFacts } from '../../facts.ts'
import { startPageFile } from '../../parts/developer-api.ts'
import { onNpmKilled } from '../../processes/npm-process.ts'
import { showStep } from '../../progress.ts'
import type { Settings } from '../../settings/settings.ts'
import { startParts } from '../../start-parts.ts'
import { addressTable } from './address-table.ts'
import { readStartOptions, USAGE } from './start-options.ts'
import { renderStartPage } from './start-page.ts'

/** How long all parts together may take to stop. */
const STOP_TIMEOUT_MS = 8_000

/** One Ctrl-C sends two signals: the terminal sends the first, and `npm` passes on the second. */
const SAME_KEY_MS = 500

/**
 * The command `start`: runs the whole platform on this machine until Ctrl-C.
 *
 * @returns the exit code
 */
export async function runStart(args: string[]): Promise<number> {
  const platformEnd = prepareEnd()
  try {
    const options = readStartOptions(args, process.env)
    if (options.help) console.info(USAGE)
    else await runUntilEnd(options, platformEnd)
  } catch (error) {
    // An aborted start throws, too. The terminal already shows the reason of the abort.
    if (platformEnd.signal.aborted) return platformEnd.exitCode()
    const message = error instanceof Error ? error.message : String(error)
    console.error(['', message, ...platformEnd.fullDisks()].join('\n'))
    if (!(error instanceof WrongUsage)) return 1
    console.error(`Help: ${formatCommandLine('start', '--help')}`)
    return 2
  }
  return platformEnd.exitCode()
}

type StartSettings = { settings: Settings; fresh: boolean }

async function runUntilEnd(
  { settings, fresh }: StartSettings,
  platformEnd: PlatformEnd,
): Promise<void> {
  const { signal, end, report } = platformEnd
  platformEnd.setDataFolder(settings.folder)
  const removeFolder = createRemovableFolder(settings.folder, [])
  // All files that parts create from now on are private to this user.
  process.umask(0o077)
  if (process.env.DATA_FOLDER === undefined) recordDataFolder(settings.folder)
  const run = { onEnd: end, signal, step: showStep, report }
  const platform = await startParts({ ...settings, fresh }, run).catch((error: unknown) => {
    removeFolder()
    throw error
  })
  try {
    writeFacts(settings.folder, platform.facts)
    writeFileSync(startPageFile(settings), renderStartPage(platform.facts), { mode: 0o600 })
    console.info(addressTable(platform.facts))
    if (!signal.aborted) await once(signal, 'abort')
  } finally {
    await platform.stop()
  }
}

type PlatformEnd = ReturnType<typeof prepareEnd>

/**
 * Prepares the end of the platform: by a signal such as Ctrl-C, or with an error when a part ends and is not restarted. Reports
 * both immediately. Kills parts that do not stop in time, and all parts at a second Ctrl-C.
 */
function prepareEnd() {
  ignoreFullDisk()
  let folder: string | undefined
  const fullDisks = () =>
    explainFullDisks(folder ? [folder, join(folder, 'postgres'), tmpdir()] : [])
  const report = (line: string) => console.info(['', line, ...fullDisks()].join('\n'))
  const controller = new AbortController()
  const { signal } = controller
  let endedAt = 0
  let exitCode = 0
  const end = (failure: Error | null) => {
    if (signal.aborted) return
    if (failure) report(failure.message)
    console.info(failure ? 'Stopping.' : '\nStopping.')
    exitCode = failure ? 1 : 0
    endedAt = Date.now()
    const killRemainingParts = () => void killParts('Some parts did not stop in time', exitCode)
    setTimeout(killRemainingParts, STOP_TIMEOUT_MS).unref()
    controller.abort(failure)
  }
  const onSignal = () => {
    if (!signal.aborted) end(null)
    else if (Date.now() - endedAt > SAME_KEY_MS) void killParts('Second Ctrl-C', exitCode)
  }
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, onSignal)
  onNpmKilled(() => end(null))
  return {
    signal,
    end,
    /** Prints a message, and names the file systems that are full. */
    report,
    fullDisks,
    /** Sets the data folder. Messages name its file system if that is full. */
    setDataFolder: (data: string) => {
      folder = data
    },
    exitCode: () => exitCode,
  }
}

/** Ignores a full disk when the output goes to a file. Only that output is lost. */
function ignoreFullDisk(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOSPC') throw error
    })
}

/** Kills all parts and exits. PostgreSQL recovers at the next start, and loses nothing that it has acknowledged. */
async function killParts(reason: string, exitCode: number): Promise<never> {
  console.info(`${reason}: killing all parts.`)
  await killChildren()
  process.exit(exitCode)
}
