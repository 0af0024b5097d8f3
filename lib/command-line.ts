/** What was typed cannot be understood; the message says what. */
export class WrongUsage extends Error {}

/**
 * Runs a command for whoever is at the terminal, or for a pipe: its answer alone goes to standard
 * output, and what went wrong to standard error, with the usage where that helps.
 *
 * @returns the exit code: 0 done, 1 failed, 2 wrong usage
 */
export async function runCommand(run: () => Promise<string>, usage: string): Promise<number> {
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
