import { parseArgs } from 'node:util'
import { PUBLIC_PROJECTS } from './projects.ts'

/** What is tested of the platform's package, beside the projects that the engine's package serves. */
export const PLATFORM = 'platform'

const ALL = {
  node: ['22', '24', '26'],
  user: ['root', 'nobody'],
  project: [...Object.keys(PUBLIC_PROJECTS), PLATFORM],
}

export const HELP = `Usage: npm run test:package [-- OPTIONS]

Packs the engine and the platform as npm publishes them, and installs them from the registry's packages as a stranger does:
in a folder whose name has spaces, with an empty npm cache. In a folder that has nothing but a Hasura project, the engine's
\`dev\` and \`serve\` serve it and answer a role; in an empty folder npx starts the platform, where a simulated person
verifies once and is refused the second time. No process is left behind. Each version of Node, account and project is a test
of its own; what cannot be had on this machine is said, and left out. Needs the registry of npm; takes ten minutes on two cores.

  --node VERSION    a version of Node; ${ALL.node.join(', ')} if not given
  --user NAME       an account; ${ALL.user.join(' and ')} if not given
  --project NAME    one of ${ALL.project.join(', ')}; all, if not given

Each option may be given several times.`

/** What is tested. */
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
