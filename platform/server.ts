import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startPageFile, startPlatform } from './platform.ts'
import { readSettings } from './settings.ts'
import { startPage } from './start-page.ts'
import { table } from './table.ts'

/** `npm start`: the whole platform on this machine, until Ctrl-C; `-- --fresh` begins again. */
try {
  const { values } = parseArgs({ options: { fresh: { type: 'boolean', default: false } } })
  const settings = readSettings(process.env)
  if (values.fresh) rmSync(settings.folder, { recursive: true, force: true })
  mkdirSync(settings.folder, { recursive: true })
  const ended = untilEnded()
  const platform = await startPlatform(settings, ended.because)
  const file = join(settings.folder, 'platform.json')
  writeFileSync(file, JSON.stringify(platform.facts, null, 2), { mode: 0o600 })
  writeFileSync(startPageFile(settings), startPage(platform.facts), { mode: 0o600 })
  console.info(table(platform.facts))
  const reason = await ended.promise
  console.info(reason ? `\n${reason.message}\nStopping.` : '\nStopping.')
  await platform.stop()
  process.exitCode = reason ? 1 : 0
} catch (error) {
  console.error(`\n${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
}

/** Resolves with null for Ctrl-C, and with the error when a part ended by itself. */
function untilEnded() {
  const { promise, resolve } = Promise.withResolvers<Error | null>()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => resolve(null))
  return { promise, because: resolve }
}
