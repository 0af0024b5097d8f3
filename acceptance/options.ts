import { parseArgs } from 'node:util'
import { PUBLIC_PROJECTS } from './projects.ts'

const ALL = { node: ['22', '24', '26'], user: ['root', 'nobody'] }

export const HELP = `Usage: npm run test:package [-- OPTIONS]

Packs the engine as npm publishes it, and installs it from the registry's packages as a stranger does: in a folder whose
name has spaces and which has nothing but a Hasura project, with an empty npm cache. There \`dev\` and \`serve\` serve the
project, answer a role, and leave no process behind. Each version of Node, account and project is a test of its own; what
cannot be had on this machine is said, and left out. Needs the registry of npm; takes ten minutes on two cores.

  --node VERSION    a version of Node; ${ALL.node.join(', ')} if not given
  --user NAME       an account; ${ALL.user.join(' and ')} if not given
  --project NAME    one of ${Object.keys(PUBLIC_PROJECTS).join(', ')}; all, if not given

Each option may be given several times.`

/** What is tested. */
export function readMatrix(words: readonly string[]) {
  const { values } = parseArgs({
    args: [...words],
    options: {
      node: { type: 'string', multiple: true, default: ALL.node },
      user: { type: 'string', multiple: true, default: ALL.user },
      project: { type: 'string', multiple: true, default: Object.keys(PUBLIC_PROJECTS) },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  return values
}
