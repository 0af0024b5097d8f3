import { endWithReader } from './broken-pipe.ts'

/** The arguments of a command are wrong; the message says how. */
export class WrongUsage extends Error {}

/**
 * Runs a command for a terminal or a pipe: only its answer goes to standard output; errors go to
 * standard error, with the usage where that helps.
 *
 * @returns the exit code: 0 done, 1 failed, 2 wrong usage
 */
export async function runCommand(run: () => Promise<string>, usage: string): Promise<number> {
  endWithReader()
  try {
    process.stdout.write(`${await run()}\n`)
    return 0
  } catch (fault) {
    const message = fault instanceof Error ? fault.message : String(fault)
    const isWrongUsage = fault instanceof WrongUsage
    process.stderr.write(isWrongUsage ? `${message}\n\n${usage}\n` : `${message}\n`)
    return isWrongUsage ? 2 : 1
  }
}
