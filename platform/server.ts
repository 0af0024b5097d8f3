import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { addressTable } from './address-table.ts'
import { writeFacts } from './facts.ts'
import { startPageFile } from './parts/developer-api.ts'
import { startPlatform } from './platform.ts'
import { readSettings } from './settings.ts'
import { renderStartPage } from './start-page.ts'

/** `npm start`: the whole platform on this machine, until Ctrl-C; `-- --fresh` begins again. */
const ending = prepareEnding()
try {
  const { values } = parseArgs({ options: { fresh: { type: 'boolean', default: false } } })
  const settings = readSettings(process.env)
  if (values.fresh) rmSync(settings.folder, { recursive: true, force: true })
  mkdirSync(settings.folder, { recursive: true })
  const platform = await startPlatform(settings, ending.end, ending.signal)
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

/** The end of everything: by Ctrl-C, or with an error when a part ends by itself. Either is reported at once. */
function prepareEnding() {
  const controller = new AbortController()
  const { signal } = controller
  const end = (failure: Error | null) => {
    if (signal.aborted) return
    console.info(failure ? `\n${failure.message}\nStopping.` : '\nStopping.')
    process.exitCode = failure ? 1 : 0
    controller.abort(failure)
  }
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => end(null))
  return { signal, end }
}
