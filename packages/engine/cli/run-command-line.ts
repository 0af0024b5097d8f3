import { parseArgs } from 'node:util'
import { PACKAGE_VERSION } from '../config/version.ts'
import { apply } from './apply.ts'
import { check } from './check.ts'
import type { CommandLineProgram, Options, Terminal } from './command-line-program.ts'
import { dev } from './dev/dev.ts'
import { diff } from './diff.ts'
import { exportMetadata } from './export-metadata.ts'
import { helpOf, helpOfAll } from './help.ts'
import { serve } from './serve.ts'
import { status } from './status.ts'

const PROGRAMS: readonly CommandLineProgram[] = [
  dev,
  serve,
  apply,
  exportMetadata,
  status,
  diff,
  check,
]

/** The exit code for an unknown command or option. */
const WRONG_USAGE = 2

/**
 * Runs one command.
 *
 * @param words the arguments after the program's name
 * @returns the exit code: 0 for success, 1 for failure, 2 for wrong usage
 */
export async function runCommandLine(words: readonly string[], terminal: Terminal) {
  const [name = 'help', ...rest] = words
  if (['help', '--help', '-h'].includes(name)) return say(terminal, helpOfAll(PROGRAMS))
  if (['version', '--version', '-v'].includes(name)) return say(terminal, PACKAGE_VERSION)
  const program = PROGRAMS.find((each) => each.name === name)
  if (!program) return complain(terminal, `Unknown command "${name}".\n\n${helpOfAll(PROGRAMS)}`)
  if (rest.some((word) => word === '--help' || word === '-h')) return say(terminal, helpOf(program))
  const options = readOptions(program, rest)
  if (typeof options === 'string') return complain(terminal, `${options}\n\n${helpOf(program)}`)
  try {
    return await program.run(options, terminal)
  } catch (error) {
    terminal.complain(error instanceof Error ? error.message : String(error))
    return 1
  }
}

/** Parses the options. Returns an error message if they are wrong. */
function readOptions({ options }: CommandLineProgram, args: string[]): Options | string {
  const types = Object.entries(options).map(
    ([name, { value, isRepeated = false }]) =>
      [name, { type: value ? 'string' : 'boolean', multiple: isRepeated }] as const,
  )
  try {
    return parseArgs({ args, options: Object.fromEntries(types) }).values
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function say(terminal: Terminal, text: string): number {
  terminal.write(text)
  return 0
}

function complain(terminal: Terminal, text: string): number {
  terminal.complain(text)
  return WRONG_USAGE
}
