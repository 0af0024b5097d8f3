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
const ending = endingOnSignals()
try {
  const { values } = parseArgs({ options: { fresh: { type: 'boolean', default: false } } })
  const settings = readSettings(process.env)
  if (values.fresh) rmSync(settings.folder, { recursive: true, force: true })
  mkdirSync(settings.folder, { recursive: true })
  const onEnd = (error: Error) => ending.abort(error)
  const platform = await startPlatform(settings, onEnd, ending.signal)
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

/** Is aborted by Ctrl-C, or with an error when a part ends by itself; either is reported at once. */
function endingOnSignals(): AbortController {
  const controller = new AbortController()
  const { signal } = controller
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(name, () => controller.abort(null))
  signal.addEventListener('abort', () => {
    const failed = signal.reason instanceof Error
    console.info(failed ? `\n${signal.reason.message}\nStopping.` : '\nStopping.')
    process.exitCode = failed ? 1 : 0
  })
  return controller
}
