import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WrongUsage } from '../../../../local/process/command-line.ts'
import { killChildren } from '../../../../local/process/end-with-parent.ts'
import { explainFullDisks } from '../../../../local/process/full-disk.ts'
import { ownCommand } from '../../../../local/process/own-command.ts'
import { undoFolder } from '../../../../local/process/undo-folder.ts'
import { writeFacts } from '../../facts.ts'
import { startPageFile } from '../../parts/developer-api.ts'
import { onNpmKilled } from '../../processes/npm-process.ts'
import { showStep } from '../../progress.ts'
import type { Settings } from '../../settings/settings.ts'
import { startParts } from '../../start-parts.ts'
import { addressTable } from './address-table.ts'
import { readStartOptions, USAGE } from './start-options.ts'
import { renderStartPage } from './start-page.ts'

/** How long the parts may take to end, all together. */
const ENDING_MS = 8_000

/** One Ctrl-C is two signals: the terminal sends one, and `npm` passes its own on. */
const SAME_KEY_MS = 500

/**
 * The command `start`: the whole platform on this machine, until Ctrl-C.
 *
 * @returns the exit code
 */
export async function runStart(args: string[]): Promise<number> {
  const ending = prepareEnding()
  try {
    const options = readStartOptions(args, process.env)
    if (options.help) console.info(USAGE)
    else await runUntilEnd(options, ending)
  } catch (error) {
    // Errors after an abort are expected: for one, the parts hear Ctrl-C too.
    if (ending.signal.aborted) return ending.exitCode()
    const message = error instanceof Error ? error.message : String(error)
    console.error(['', message, ...ending.fullDisks()].join('\n'))
    if (!(error instanceof WrongUsage)) return 1
    console.error(`More: ${ownCommand('start', '--help')}`)
    return 2
  }
  return ending.exitCode()
}

type Typed = { settings: Settings; fresh: boolean }

async function runUntilEnd({ settings, fresh }: Typed, ending: Ending): Promise<void> {
  const { signal, end, tell } = ending
  ending.writesIn(settings.folder)
  const removeFolder = undoFolder(settings.folder, [])
  // What any part writes from now on is for this user alone.
  process.umask(0o077)
  const run = { onEnd: end, signal, step: showStep, tell }
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

type Ending = ReturnType<typeof prepareEnding>

/**
 * The end of everything: by Ctrl-C, or with an error when a part ends by itself. Either is reported at once. What has not
 * ended in time, or at a second Ctrl-C, is killed.
 */
function prepareEnding() {
  goOnWithoutTerminal()
  let folder: string | undefined
  const fullDisks = () =>
    explainFullDisks(folder ? [folder, join(folder, 'postgres'), tmpdir()] : [])
  const tell = (line: string) => console.info(['', line, ...fullDisks()].join('\n'))
  const controller = new AbortController()
  const { signal } = controller
  let asked = 0
  let exitCode = 0
  const end = (failure: Error | null) => {
    if (signal.aborted) return
    if (failure) tell(failure.message)
    console.info(failure ? 'Stopping.' : '\nStopping.')
    exitCode = failure ? 1 : 0
    asked = Date.now()
    const endLate = () => void endByForce('Not everything ended in time', exitCode)
    setTimeout(endLate, ENDING_MS).unref()
    controller.abort(failure)
  }
  const onSignal = () => {
    if (!signal.aborted) end(null)
    else if (Date.now() - asked > SAME_KEY_MS) void endByForce('Asked again', exitCode)
  }
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, onSignal)
  onNpmKilled(() => end(null))
  return {
    signal,
    end,
    /** Tells a person at the terminal something, and which file system is full. */
    tell,
    fullDisks,
    /** Names the data folder, whose file systems may be full. */
    writesIn: (data: string) => {
      folder = data
    },
    exitCode: () => exitCode,
  }
}

/** What a full disk keeps out of a file that the output goes to is lost, and nothing else. */
function goOnWithoutTerminal(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOSPC') throw error
    })
}

/** PostgreSQL recovers at the next start: nothing that was acknowledged is lost. */
async function endByForce(why: string, exitCode: number): Promise<never> {
  console.info(`${why}: ending by force.`)
  await killChildren()
  process.exit(exitCode)
}
