import { parseArgs } from 'node:util'
import { runCommand, WrongUsage } from '../../../../local/process/command-line.ts'
import { formatCommandLine } from '../../../../local/process/format-command-line.ts'
import { describeSource } from './file/describe-source.ts'
import { checkFile } from './file/file-check.ts'
import { mergeRepeated } from './file/merge-repeated.ts'
import type { MissingUses } from './file/uses-of.ts'
import { formatFileTotals } from './format-totals.ts'
import { importFile } from './platform/import-file.ts'
import { createOperatorApi } from './platform/operator-api.ts'
import { download } from './world/download.ts'
import { WorldApi } from './world/world-api.ts'

const WORLD_URL = 'https://developer.world.org/api/v1/graphql'
const PLATFORM_URL = 'http://127.0.0.1:8080/v1/graphql'

const USAGE = `Usage:
  ${formatCommandLine('import-app', '--app <app_id> --team <team_id> --file <file> [options]')}
      imports an app with its actions and people from a file, then compares both ends

  --app           the id of the app, as at World
  --team          the team on this platform that gets the app; create the team first
  --file          the people as JSON Lines (docs/operations/import.md)
  --download      first downloads the file from World, or continues an interrupted download; the environment variable
                  WORLD_API_KEY has an API key of the app's team there
  --check         only checks the file, and prints its totals; sends nothing to the platform
  --missing-uses  1 or limit: the uses of people whose lines have none, in actions with a limit above 1
  --graphql       the GraphQL API of this platform, ${PLATFORM_URL} by default; the environment variable
                  HASURA_GRAPHQL_ADMIN_SECRET has its admin secret
  --world         the GraphQL API of World, ${WORLD_URL} by default

The command may be interrupted and repeated. A repeated import changes nothing, and no count is lowered.

Exit codes: 0 both ends are equal, 1 the file has faults, a server refuses, or the ends differ, 2 wrong usage.
`

/**
 * Runs the command `import-app`: brings an app with its actions and people to this platform.
 *
 * @returns the exit code
 */
export function runImportApp(args: string[]): Promise<number> {
  return runCommand(() => importApp(args, process.env), USAGE)
}

async function importApp(args: string[], environment: NodeJS.ProcessEnv): Promise<string> {
  const values = parseImportArguments(args)
  if (values.help) return USAGE
  const appId = requireOption(values.app, '--app')
  const path = requireOption(values.file, '--file')
  const missingUses = readMissingUses(values['missing-uses'])
  const team = values.check ? '' : requireOption(values.team, '--team')
  const adminSecret = values.check
    ? ''
    : requireVariable(environment, 'HASURA_GRAPHQL_ADMIN_SECRET')
  const report = (message: string) => console.error(message)
  if (values.download) {
    const apiKey = requireVariable(environment, 'WORLD_API_KEY')
    await download({ path, appId, world: new WorldApi(values.world, apiKey), report })
  }
  const file = await checkFile(path, { appId, missingUses })
  const merged = await mergeRepeated(path, file, missingUses)
  if (values.check) return [...formatFileTotals(file, merged), `${path} has no faults.`].join('\n')
  const api = createOperatorApi(values.graphql, adminSecret)
  const source = await describeSource(path, values.download ? values.world : undefined)
  return importFile({ path, file, merged, missingUses, source, team, api, report })
}

function requireOption(value: string | undefined, name: string): string {
  if (value === undefined) throw new WrongUsage(`${name} is missing.`)
  return value
}

function requireVariable(environment: NodeJS.ProcessEnv, name: string): string {
  const value = environment[name]
  if (!value) throw new WrongUsage(`The environment variable ${name} is missing.`)
  return value
}

function readMissingUses(value: string | undefined): MissingUses | undefined {
  if (value === undefined || value === '1' || value === 'limit') return value
  throw new WrongUsage(`--missing-uses must be 1 or limit; got ${value}.`)
}

function parseImportArguments(args: string[]) {
  const options = {
    app: { type: 'string' },
    team: { type: 'string' },
    file: { type: 'string' },
    download: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    'missing-uses': { type: 'string' },
    graphql: { type: 'string', default: PLATFORM_URL },
    world: { type: 'string', default: WORLD_URL },
    help: { type: 'boolean', short: 'h', default: false },
  } as const
  try {
    return parseArgs({ args, options }).values
  } catch (cause) {
    throw new WrongUsage(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}
