import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { killChildren } from '../lib/process/end-with-parent.ts'
import { addressTable } from './address-table.ts'
import { writeFacts } from './facts.ts'
import { startPageFile } from './parts/developer-api.ts'
import { startPlatform } from './platform.ts'
import { onNpmKilled } from './processes/npm-process.ts'
import { readSettings } from './settings.ts'
import { renderStartPage } from './start-page.ts'

/** How long the parts may take to end, all together. */
const ENDING_MS = 8_000

/** One Ctrl-C is two signals: the terminal sends one, and `npm` passes its own on. */
const SAME_KEY_MS = 500

const USAGE = `Usage: npm start [-- --fresh]
  starts the whole platform on this machine, until Ctrl-C
  --fresh  begins again without the data of earlier starts

Variables: DATA_FOLDER (.data), DATABASE_URL, HASURA_GRAPHQL_ENDPOINT, and the ports
${Object.entries(readSettings({}).ports)
  .map(([name, port]) => `  ${name}=${port}`)
  .join('\n')}`

/** `npm start`: the whole platform on this machine, until Ctrl-C; `-- --fresh` begins again. */
const ending = prepareEnding()
try {
  const { values } = parseArgs({
    options: {
      fresh: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) {
    console.info(USAGE)
    process.exit()
  }
  const settings = readSettings(process.env)
  mkdirSync(settings.folder, { recursive: true })
  // What any part writes from now on is for this user alone.
  process.umask(0o077)
  const platform = await startPlatform(
    { ...settings, fresh: values.fresh },
    ending.end,
    ending.signal,
  )
  writeFacts(settings.folder, platform.facts)
  writeFileSync(startPageFile(settings), renderStartPage(platform.facts), { mode: 0o600 })
  console.info(addressTable(platform.facts))
  if (!ending.signal.aborted) await once(ending.signal, 'abort')
  await platform.stop()
} catch (error) {
  // Errors after an abort are expected: for one, the parts hear Ctrl-C too.
  if (!ending.signal.aborted) {
    console.error(`\n${error instanceof Error ? error.message : error}`)
    process.exitCode = 1
  }
}

/**
 * The end of everything: by Ctrl-C, or with an error when a part ends by itself. Either is reported at once. What has not
 * ended in time, or at a second Ctrl-C, is killed.
 */
function prepareEnding() {
  const controller = new AbortController()
  const { signal } = controller
  let asked = 0
  const end = (failure: Error | null) => {
    if (signal.aborted) return
    console.info(failure ? `\n${failure.message}\nStopping.` : '\nStopping.')
    process.exitCode = failure ? 1 : 0
    asked = Date.now()
    setTimeout(() => void endByForce('Not everything ended in time'), ENDING_MS).unref()
    controller.abort(failure)
  }
  const onSignal = () => {
    if (!signal.aborted) end(null)
    else if (Date.now() - asked > SAME_KEY_MS) void endByForce('Asked again')
  }
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, onSignal)
  onNpmKilled(() => end(null))
  return { signal, end }
}

/** PostgreSQL recovers at the next start: nothing that was acknowledged is lost. */
async function endByForce(why: string): Promise<never> {
  console.info(`${why}: ending by force.`)
  await killChildren()
  process.exit()
}
