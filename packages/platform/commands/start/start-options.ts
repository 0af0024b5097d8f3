import { parseArgs } from 'node:util'
import { WrongUsage } from '../../../../local/process/command-line.ts'
import { formatCommandLine } from '../../../../local/process/format-command-line.ts'
import { PORT_COUNT, PORT_NAMES, portVariables } from '../../settings/port-option.ts'
import { readSettings, type Settings } from '../../settings/settings.ts'

/** The help of the command `start`. */
export const USAGE = `Usage: ${formatCommandLine('start', '[--ports <ports>] [--data <folder>] [--fresh]')}
  runs the whole platform on this machine until Ctrl-C

  --ports <ports>  the first of ${PORT_COUNT} ports, or name=port; separate several with commas
  --data <folder>  the folder that keeps the data (default: .data)
  --fresh          deletes the data of earlier starts

Ports and defaults:
  ${PORT_NAMES.slice(0, 6).join(' ')}
  ${PORT_NAMES.slice(6).join(' ')}

Examples:
  ${formatCommandLine('start', '--ports 4000 --data second')}
      runs a second platform, with portal and API at http://localhost:4000
  ${formatCommandLine('start', '--ports postgres=5555,chain=9545')}
  ${formatCommandLine('start', '--fresh')}

Other commands (--help explains each):
  ${formatCommandLine('demo')}      shows a guided tour of the running platform
  ${formatCommandLine('simulate')}  prints a proof of a simulated person as JSON
  ${formatCommandLine('chain')}     pays, and publishes Merkle roots and contracts, on the local chain

Variables: DATA_FOLDER is --data, WEBHOOKS_PORT is --ports webhooks=, and so on. Set DATABASE_URL to use your own PostgreSQL,
and HASURA_GRAPHQL_ENDPOINT to use your own Hasura.`

const OPTIONS = {
  ports: { type: 'string' },
  data: { type: 'string' },
  fresh: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const

/** The options. Environment variables give all other settings. With `help`, all other options are ignored. */
export type StartOptions = { help: true } | { help: false; fresh: boolean; settings: Settings }

/**
 * Reads the options of the command `start`. An option overrides its environment variable.
 *
 * @throws WrongUsage
 * @throws ConfigError that names every wrong variable
 */
export function readStartOptions(args: string[], env: NodeJS.ProcessEnv): StartOptions {
  const { help, fresh, data, ports } = parseStartArguments(args)
  if (help) return { help }
  const overrides = {
    ...(data !== undefined && { DATA_FOLDER: data }),
    ...(ports !== undefined && portVariables(ports)),
  }
  return { help, fresh, settings: readSettings({ ...env, ...overrides }) }
}

function parseStartArguments(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS }).values
  } catch (cause) {
    throw new WrongUsage(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}
