import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { requireValue } from '../../lib/runtime/require-value.ts'
import { describeMachine } from './machine.ts'
import { measurements } from './measurements.ts'
import type { Figure } from './report/figure.ts'
import {
  createFiguresTable,
  createNotes,
  createPart,
  type Result,
  replaceParts,
} from './report/figures-document.ts'
import { runIsolated } from './run-isolated.ts'

/**
 * `npm run bench -- NAME … [--large] [--write]`: measures figures and their baselines in the same run.
 * `--write` and `all` write them into docs/figures.md.
 */
const { positionals, values: options } = parseArgs({
  allowPositionals: true,
  options: {
    large: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
const FILE = 'docs/figures.md'
const LIMIT_MS = (options.large ? 90 : 8) * 60_000

const isAll = positionals.includes('all')
const names = isAll ? Object.keys(measurements) : positionals
const unknownNames = names.filter((name) => !measurements[name])
if (options.help) {
  console.info(formatUsage([]))
  process.exit()
}
if (unknownNames.length > 0 || names.length === 0) {
  console.error(formatUsage(unknownNames))
  process.exit(2)
}

const interruption = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => interruption.abort())

const results: Result[] = []
for (const name of names) {
  if (interruption.signal.aborted) break
  results.push(await runMeasurement(name))
}
if ((isAll || options.write) && !interruption.signal.aborted) await writeFigures(results)
process.exitCode = results.every((result) => 'figures' in result) ? 0 : 1

async function runMeasurement(name: string): Promise<Result> {
  const startTime = performance.now()
  const isolatedResult = await runIsolated<Figure[]>(
    new URL('measurement-process.ts', import.meta.url),
    [name, options.large ? 'large' : ''],
    { limitMs: LIMIT_MS, signal: interruption.signal },
  )
  const minutes = (performance.now() - startTime) / 60_000
  const result =
    'message' in isolatedResult
      ? { name, minutes, figures: isolatedResult.message }
      : { name, minutes, ...isolatedResult }
  console.info([`${name}:`, createFiguresTable(result), ...createNotes(result), ''].join('\n'))
  return result
}

async function writeFigures(allResults: readonly Result[]): Promise<void> {
  const machine = await describeMachine()
  const parts = allResults.map((result) => {
    const { about } = requireValue(measurements[result.name], result.name)
    return [
      result.name,
      createPart(result, { about, machine, large: options.large, at: new Date() }),
    ] as const
  })
  const page = replaceParts(readFileSync(FILE, 'utf8'), new Map(parts), Object.keys(measurements))
  writeFileSync(FILE, page)
  console.info(`Figures written to ${FILE}.`)
}

function formatUsage(unknownNames: readonly string[]): string {
  const lines = Object.entries(measurements).map(
    ([name, { about }]) => `  ${name.padEnd(10)} ${about}`,
  )
  return [
    ...(unknownNames.length > 0
      ? [`Unknown measurement: ${unknownNames.join(', ')}. Choose from these:`]
      : []),
    'npm run bench -- NAME … [--large] [--write]',
    ...lines,
    `  ${'all'.padEnd(10)} all of these (a quarter of an hour), written into ${FILE} as with --write`,
  ].join('\n')
}
