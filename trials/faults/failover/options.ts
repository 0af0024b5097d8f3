import { parseArgs } from 'node:util'

export type Options = {
  /** Words in the titles of the faults to cause; empty for all faults. */
  names: readonly string[]
  times: number
  write: boolean
}

const USAGE = `Usage: npm run test:failover [-- NAME … --times N --write]
  --times N  the number of runs of each fault; 1 by default. One run of all faults takes 5 minutes
  --write    writes the results of all faults into docs/faults.md
  NAME       a word in the title of a row of docs/faults.md; all rows by default`

/** Parses the arguments. Prints the usage and exits for `--help` and for wrong values. @throws TypeError for an unknown option */
export function parseFaultOptions(args: readonly string[]): Options {
  const { positionals: names, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      times: { type: 'string', default: '1' },
      write: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  const times = Number(values.times)
  // `--write` writes a row for every fault, so names are not allowed with it.
  const isWrong = !Number.isInteger(times) || times < 1 || (values.write && names.length > 0)
  if (values.help || isWrong) {
    console.info(USAGE)
    process.exit(isWrong ? 2 : 0)
  }
  return { names, times, write: values.write }
}
