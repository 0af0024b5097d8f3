import { runCommandLine } from '../../../cli/run-command-line.ts'

/** Runs a command of the engine's command line in this process and collects its output. */
export async function runEngineCommand(
  words: readonly string[],
  variables: Readonly<Record<string, string>> = {},
) {
  const output: string[] = []
  const complaints: string[] = []
  const code = await runCommandLine(words, {
    variables,
    write: (line) => output.push(line),
    complain: (line) => complaints.push(line),
  })
  return { code, output: output.join('\n'), complaints: complaints.join('\n') }
}
