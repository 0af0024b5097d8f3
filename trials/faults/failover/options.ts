import { parseArgs } from 'node:util'

export type Options = {
  /** Words in the titles of the faults to cause; none for all. */
  wanted: readonly string[]
  times: number
  write: boolean
}

const USAGE = `Usage: npm run test:failover [-- NAME … --times N --write]
  --times N  how often each fault is caused; 1 by default. All faults take 5 minutes, so ten times 50
  --write    writes the results of all faults into docs/faults.md
  NAME       a word in the title of a row of docs/faults.md; all rows by default`

/** Reads the arguments; shows the usage and ends where they are wrong, or it is asked for. */
export function parseFaultOptions(args: readonly string[]): Options {
  const { positionals: wanted, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      times: { type: 'string', default: '1' },
      write: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  const times = Number(values.times)
  // The page has a row for each fault.
  const isWrong = !Number.isInteger(times) || times < 1 || (values.write && wanted.length > 0)
  if (values.help || isWrong) {
    console.info(USAGE)
    process.exit(isWrong ? 2 : 0)
  }
  return { wanted, times, write: values.write }
}
