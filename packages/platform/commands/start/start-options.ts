import { parseArgs } from 'node:util'
import { WrongUsage } from '../../../../local/process/command-line.ts'
import { ownCommand } from '../../../../local/process/own-command.ts'
import { PORT_COUNT, PORT_NAMES, portVariables } from '../../settings/port-option.ts'
import { readSettings, type Settings } from '../../settings/settings.ts'

/** How the command `start` is used. */
export const USAGE = `Usage: ${ownCommand('start', '[--ports <ports>] [--data <folder>] [--fresh]')}
  starts the whole platform on this machine, until Ctrl-C

  --ports <ports>  where it listens: the first of ${PORT_COUNT} ports, or name=port, or several with commas between them
  --data <folder>  where its data is kept from one start to the next, .data by default
  --fresh          begins again without the data of earlier starts

Ports, with their defaults:
  ${PORT_NAMES.slice(0, 6).join(' ')}
  ${PORT_NAMES.slice(6).join(' ')}

Examples:
  ${ownCommand('start', '--ports 4000 --data second')}
      a second one beside the first: its portal and API are at http://localhost:4000
  ${ownCommand('start', '--ports postgres=5555,chain=9545')}
  ${ownCommand('start', '--fresh')}

Other commands, of which each says more with --help:
  ${ownCommand('demo')}      a guided tour on the platform that runs
  ${ownCommand('simulate')}  a proof of a simulated person, as JSON
  ${ownCommand('chain')}     Merkle roots and contracts on the local chain

Variables: DATA_FOLDER is --data, WEBHOOKS_PORT is --ports webhooks=, and so on. DATABASE_URL names a PostgreSQL of yours and
HASURA_GRAPHQL_ENDPOINT a Hasura, instead of those that are started.`

const OPTIONS = {
  ports: { type: 'string' },
  data: { type: 'string' },
  fresh: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const

/** What was typed, with the environment for what was not; `help` is all that counts if it is true. */
export type StartOptions = { help: true } | { help: false; fresh: boolean; settings: Settings }

/**
 * Reads the options of the command `start`, which count more than the variables of the same meaning.
 *
 * @throws WrongUsage
 * @throws ConfigError naming every variable that is wrong
 */
export function readStartOptions(args: string[], env: NodeJS.ProcessEnv): StartOptions {
  const { help, fresh, data, ports } = parseStartArguments(args)
  if (help) return { help }
  const typed = {
    ...(data !== undefined && { DATA_FOLDER: data }),
    ...(ports !== undefined && portVariables(ports)),
  }
  return { help, fresh, settings: readSettings({ ...env, ...typed }) }
}

function parseStartArguments(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS }).values
  } catch (cause) {
    throw new WrongUsage(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}
