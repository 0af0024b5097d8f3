import { spawn } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readFacts } from '../packages/platform/facts.ts'
import { readHasuraAddress } from '../packages/platform/settings/settings.ts'

const NOT_INSTALLED = `hasura-cli is not installed: npm could not download its program from github.com. Try again with
  npm install && npm rebuild hasura-cli
or install "hasura" on the PATH yourself:
  https://hasura.io/docs/2.0/hasura-cli/install-hasura-cli/`

/** The first words of the text file that hasura-cli contains until npm has downloaded its program. */
const PLACEHOLDER = 'This file is to be automatically replaced'
const MAX_PLACEHOLDER_BYTES = 1_000

/** `npm run hasura -- <command>`: runs Hasura's command line in `hasura/`, on the running platform or another Hasura. */
try {
  process.exitCode = await runHasura(process.argv.slice(2))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

/**
 * Runs the command line in this terminal, and waits for its end.
 *
 * @returns the exit code
 * @throws Error with a message for the user if the command line is not installed, or if no platform has started
 */
async function runHasura(args: string[]): Promise<number> {
  const program = findProgram()
  if (!program) throw new Error(NOT_INSTALLED)
  const { endpoint, adminSecret } = findEndpoint()
  const child = spawn(program, args, {
    cwd: fileURLToPath(new URL('../hasura/', import.meta.url)),
    env: {
      ...process.env,
      HASURA_GRAPHQL_ENDPOINT: endpoint,
      HASURA_GRAPHQL_ADMIN_SECRET: adminSecret,
    },
    stdio: 'inherit',
  })
  // Ctrl-C also ends the child; this process waits for the child's end.
  process.on('SIGINT', () => {})
  return new Promise((resolve, reject) => {
    child.once('error', reject).once('exit', (code) => resolve(code ?? 1))
  })
}

/** Finds the first `hasura` on the PATH; npm puts the programs of its packages first. */
function findProgram(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.map((folder) => join(folder, 'hasura')).find(isProgram)
}

/** False for the placeholder, and for the empty file of a failed download. */
function isProgram(file: string): boolean {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (!stats?.isFile() || stats.size === 0) return false
  return stats.size > MAX_PLACEHOLDER_BYTES || !readFileSync(file, 'utf8').startsWith(PLACEHOLDER)
}

/**
 * Returns the address of the Hasura that the environment names, as for `npm start`, or else of the running platform.
 */
function findEndpoint() {
  const { hasura, folder } = readHasuraAddress(process.env)
  return hasura ?? readFacts(folder).hasura
}
