import { spawn } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readFacts } from '../packages/platform/facts.ts'
import { readHasuraAddress } from '../packages/platform/settings/settings.ts'

const NOT_INSTALLED = `The program of hasura-cli is not installed: npm could not download it from github.com. Try again with
  npm install && npm rebuild hasura-cli
or install it by hand, so that "hasura" is on the PATH:
  https://hasura.io/docs/2.0/hasura-cli/install-hasura-cli/`

/** The beginning of the text file that hasura-cli contains until its program is downloaded. */
const PLACEHOLDER = 'This file is to be automatically replaced'
const MAX_PLACEHOLDER_BYTES = 1_000

/** `npm run hasura -- <command>`: Hasura's own command line, in `hasura/`, on the running platform. */
try {
  process.exitCode = await runHasura(process.argv.slice(2))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

/**
 * Runs the command line to its end, with this terminal as its own.
 *
 * @returns its exit code
 * @throws Error with a sentence for the person at the terminal, when it is not installed or nothing runs here
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
  // Ctrl-C reaches the child too, which ends by itself; this process waits for it.
  process.on('SIGINT', () => {})
  return new Promise((resolve, reject) => {
    child.once('error', reject).once('exit', (code) => resolve(code ?? 1))
  })
}

/** The first one on the PATH, where npm puts the programs of its packages first. */
function findProgram(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.map((folder) => join(folder, 'hasura')).find(isProgram)
}

/** A download that failed leaves the placeholder or an empty file, and a shell would run either. */
function isProgram(file: string): boolean {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (!stats?.isFile() || stats.size === 0) return false
  return stats.size > MAX_PLACEHOLDER_BYTES || !readFileSync(file, 'utf8').startsWith(PLACEHOLDER)
}

/** The Hasura that the environment names, as for `npm start`, or else that of the platform that runs here. */
function findEndpoint() {
  const { hasura, folder } = readHasuraAddress(process.env)
  return hasura ?? readFacts(folder).hasura
}
