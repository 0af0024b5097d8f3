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
  const mistake = findMistake({ names, times, write: values.write }, values.times)
  if (mistake) console.error(mistake)
  if (values.help || mistake) {
    console.info(USAGE)
    process.exit(mistake ? 2 : 0)
  }
  return { names, times, write: values.write }
}

/** Returns what is wrong with the options; undefined if they are right. */
function findMistake({ names, times, write }: Options, timesText: string): string | undefined {
  if (!Number.isInteger(times) || times < 1)
    return `--times must be a whole number from 1; got ${timesText}.`
  // `--write` writes a row for every fault.
  if (write && names.length > 0)
    return `--write writes the rows of all faults; remove ${names.join(' ')}.`
  return undefined
}
