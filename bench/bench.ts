import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { apiSpeed } from './api.ts'
import { engineSpeed } from './engine.ts'
import { engineGrowth } from './engine-growth.ts'
import { engineStart } from './engine-start.ts'
import { liveQueries } from './live-queries.ts'
import { payments } from './payments.ts'
import type { Row } from './row.ts'
import { scale } from './scale.ts'
import { signIn } from './sign-in.ts'
import { verificationPool } from './verification-pool.ts'
import { verifyEndToEnd } from './verify-end-to-end.ts'

/** `npm run bench [-- name … --large]`: every figure beside its baseline, measured in the same run. */
const measurements: Record<string, (large: boolean) => Promise<Row[]>> = {
  api: apiSpeed,
  engine: engineSpeed,
  growth: engineGrowth,
  live: liveQueries,
  payments,
  pool: verificationPool,
  scale,
  'sign-in': signIn,
  start: engineStart,
  verify: verifyEndToEnd,
}

const { positionals: wanted, values: options } = parseArgs({
  allowPositionals: true,
  options: { large: { type: 'boolean', default: false } },
})
const unknown = wanted.filter((name) => !measurements[name])
if (unknown.length > 0) {
  console.error(
    `Unknown: ${unknown.join(', ')}. There are: ${Object.keys(measurements).join(', ')}`,
  )
  process.exit(2)
}
console.info(`${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}\n`)
for (const [name, measure] of Object.entries(measurements))
  if (wanted.length === 0 || wanted.includes(name)) print(name, await measure(options.large))

function print(name: string, rows: readonly Row[]) {
  console.info(name)
  for (const row of rows) {
    const reached = row.target === undefined ? '' : `  wanted ${row.target}`
    const compared =
      row.ratio === undefined
        ? ''
        : `  ${row.ratio.toFixed(2)} × the baseline's ${format(row.baseline)}`
    console.info(`  ${row.name.padEnd(56)} ${format(row.value)} ${row.unit}${compared}${reached}`)
    if (row.note) console.info(`      ${row.note}`)
  }
  console.info('')
}

function format(n = Number.NaN): string {
  return n.toLocaleString('en', { maximumSignificantDigits: 4 }).padStart(8)
}
