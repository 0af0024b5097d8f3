import { exitOnBrokenPipe } from './broken-pipe.ts'

/** The error for wrong arguments of a command. The message says what is wrong. */
export class WrongUsage extends Error {}

/**
 * Runs a command for a terminal or a pipe. Only its result goes to standard output; errors go to standard error, with
 * the usage for wrong arguments.
 *
 * @returns the exit code: 0 success, 1 failure, 2 wrong usage
 */
export async function runCommand(run: () => Promise<string>, usage: string): Promise<number> {
  exitOnBrokenPipe()
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
