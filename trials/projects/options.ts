import { parseArgs } from 'node:util'

/** What the command line asks for. */
export type Options = {
  /** Checkouts, or folders in which Hasura projects are. */
  folders: readonly string[]
  /** A superuser's address of a PostgreSQL, for projects that the embedded one cannot hold. */
  databaseUrl: string | undefined
  /** Whether the results are written into packages/engine/docs/public-projects.md. */
  write: boolean
  help: boolean
}

export const HELP = `Usage: npm run test:projects -- [OPTIONS] FOLDER…

Runs the engine on Hasura projects as their authors would: each FOLDER is a checkout of a repository, and each Hasura project in it (a
folder with metadata and migrations) is copied and served. Of each: check, dev, export and a comparison with what was there,
introspection and a query of every root field for each role, every GraphQL document of the repository that is valid for a role, and
subscriptions. One line is printed for each project, with what it lost and why. The checkouts are not changed.

  --database-url URL   a superuser's address of a PostgreSQL, for projects that need an extension or a superuser which the
                       embedded PostgreSQL does not have; each project gets databases of its own there, removed afterwards
  --write              puts the results into the table of packages/engine/docs/public-projects.md

The exit code is 1 where a project that can be built is not served whole.`

/** @throws TypeError for a word that is no option, Error where there is no folder */
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
  if (positionals.length === 0 && !values.help) throw new Error(`No folder is given.\n\n${HELP}`)
  const { 'database-url': databaseUrl, write, help } = values
  return { folders: positionals, databaseUrl, write, help }
}
