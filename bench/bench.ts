import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { describeMachine } from './machine.ts'
import { measurements } from './measurements.ts'
import type { Figure } from './report/figure.ts'
import {
  figureNotes,
  figuresDocument,
  figuresTable,
  type Result,
} from './report/figures-document.ts'
import { runIsolated } from './run-isolated.ts'

/**
 * `npm run bench -- NAME … [--large]`: figures beside their baselines, measured in the same run.
 * `all` writes all of them into docs/figures.md.
 */
const { positionals, values: options } = parseArgs({
  allowPositionals: true,
  options: {
    large: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
const FILE = 'docs/figures.md'
const LIMIT_MS = (options.large ? 60 : 8) * 60_000

const isAll = positionals.includes('all')
const names = isAll ? Object.keys(measurements) : positionals
const unknown = names.filter((name) => !measurements[name])
if (options.help) {
  console.info(benchUsage([]))
  process.exit()
}
if (unknown.length > 0 || names.length === 0) {
  console.error(benchUsage(unknown))
  process.exit(2)
}

const interrupted = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort())

const results: Result[] = []
for (const name of names) {
  if (interrupted.signal.aborted) break
  results.push(await runMeasurement(name))
}
if (isAll && !interrupted.signal.aborted) {
  const document = {
    results,
    machine: await describeMachine(),
    at: new Date(),
    large: options.large,
  }
  writeFileSync(FILE, figuresDocument(document))
  console.info(`All of it is in ${FILE}.`)
}
process.exitCode = results.every((result) => 'figures' in result) ? 0 : 1

async function runMeasurement(name: string): Promise<Result> {
  const started = performance.now()
  const sent = await runIsolated<Figure[]>(
    new URL('measurement-process.ts', import.meta.url),
    [name, options.large ? 'large' : ''],
    { limitMs: LIMIT_MS, signal: interrupted.signal },
  )
  const minutes = (performance.now() - started) / 60_000
  const result =
    'message' in sent ? { name, minutes, figures: sent.message } : { name, minutes, ...sent }
  console.info([figuresTable([result]), ...figureNotes(result), ''].join('\n'))
  return result
}

function benchUsage(unknown: readonly string[]): string {
  const known = Object.entries(measurements).map(
    ([name, { about }]) => `  ${name.padEnd(10)} ${about}`,
  )
  return [
    ...(unknown.length > 0 ? [`Unknown: ${unknown.join(', ')}.`] : []),
    'npm run bench -- NAME … [--large]',
    ...known,
    `  ${'all'.padEnd(10)} all of these, written into ${FILE} (a quarter of an hour)`,
  ].join('\n')
}
