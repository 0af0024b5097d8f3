import { parseArgs } from 'node:util'

export type Options = {
  /** Checkouts, or other folders with Hasura projects. */
  folders: readonly string[]
  /** A superuser's URL of a PostgreSQL, for projects that the embedded PostgreSQL cannot run. */
  databaseUrl: string | undefined
  /** Writes the results into packages/engine/docs/public-projects.md. */
  write: boolean
  help: boolean
}

export const HELP = `Usage: npm run test:projects -- [OPTIONS] FOLDER…

Runs the engine on Hasura projects as their authors would. Each FOLDER is a checkout of a repository. The program copies each Hasura
project in it (a folder with metadata and migrations), and runs:

- check, dev and export, and compares the exported metadata with the original
- introspection and a query of every root field, for each role
- every GraphQL document of the repository that is valid for a role, including subscriptions

The program prints one line for each project, followed by its losses. It does not change the checkouts.

  --database-url URL   a superuser's URL of a PostgreSQL, for projects that need an extension or rights which the embedded
                       PostgreSQL does not have; the program creates databases there for each project, and drops them afterwards
  --write              writes the results into the table of packages/engine/docs/public-projects.md

The exit code is 1 if a project that can be built is not served whole.`

/** @throws TypeError for an unknown option, Error if no folder is given */
export function readProjectsOptions(words: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: {
      'database-url': { type: 'string' },
      write: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (positionals.length === 0 && !values.help) throw new Error(`FOLDER is missing.\n\n${HELP}`)
  const { 'database-url': databaseUrl, write, help } = values
  return { folders: positionals, databaseUrl, write, help }
}
