import { parseArgs } from 'node:util'
import { PUBLIC_PROJECTS } from './projects.ts'

/** The name by which `--project` selects the test of the platform's package. */
export const PLATFORM = 'platform'

const ALL = {
  node: ['22', '24', '26'],
  user: ['root', 'nobody'],
  project: [...Object.keys(PUBLIC_PROJECTS), PLATFORM],
}

export const HELP = `Usage: npm run test:package [-- OPTIONS]

Packs the engine and the platform as npm publishes them, and installs them as a new user does: in a folder with spaces in its
name, with an npm cache that is empty at first. One test runs for each version of Node, account and project:

- In a folder with only a Hasura project, the engine's \`dev\` and \`serve\` serve the project and answer a query of a role.
- In an empty folder, npx starts the platform. A simulated person verifies once and is rejected the second time.

Each test fails if a process is left behind. Versions and accounts that this machine does not have are printed as not tested.
The program needs the npm registry. It takes ten minutes on two cores.

  --node VERSION    a version of Node (default: ${ALL.node.join(', ')})
  --user NAME       an account (default: ${ALL.user.join(' and ')})
  --project NAME    one of ${ALL.project.join(', ')} (default: all)

To test several values, repeat the option.`

/** Reads the versions, accounts and projects to test from the command line. */
export function readMatrix(words: readonly string[]) {
  const { values } = parseArgs({
    args: [...words],
    options: {
      node: { type: 'string', multiple: true, default: ALL.node },
      user: { type: 'string', multiple: true, default: ALL.user },
      project: { type: 'string', multiple: true, default: ALL.project },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  return values
}
