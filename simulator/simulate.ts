import { parseArgs } from 'node:util'
import { localChainUrl } from '../lib/chain/local-chain-url.ts'
import { runCommand, WrongUsage } from '../lib/process/command-line.ts'
import { VERIFICATION_LEVELS } from '../proof/verification-level.ts'
import { developmentKey } from './development-key/development-key.ts'
import { proverWith } from './prove.ts'
import { proveAs } from './prove-as.ts'

const USAGE = `Usage:
  npm run --silent simulate -- --app <app_id> --action <text> [--signal <text>]
                               [--identity <seed>] [--level <level>] [--rpc <url>]
      makes a simulated person prove that they have come for an action of a staging app, publishes
      the group's root on the local chain, and prints the body for POST /api/v2/verify/<app_id>

  --action    the action's identifier; empty for sign-in
  --signal    the text that the proof is bound to, empty by default; 0x and hex digits stand for bytes
  --identity  any text; the same text is the same person, person-0 by default
  --level     how the person was verified, orb by default: ${VERIFICATION_LEVELS.join(', ')}
  --rpc       the local chain, by default that of npm start (DATA_FOLDER, .data by default)

Exit codes: 0 done, 1 the chain does not answer or refuses, 2 wrong usage.
`

process.exitCode = await runCommand(() => runSimulate(process.argv.slice(2)), USAGE)

async function runSimulate(args: string[]): Promise<string> {
  const { help, app, action, signal, identity, rpc, ...given } = parseSimulateArguments(args)
  if (help) return USAGE
  if (app === undefined) throw new WrongUsage('Which app? Give --app.')
  if (action === undefined) throw new WrongUsage('For which action? Give --action.')
  const level = VERIFICATION_LEVELS.find((known) => known === given.level)
  if (level === undefined) throw new WrongUsage(`There is no level "${given.level}".`)
  const key = await developmentKey({ progress: (message) => console.error(`${message} …`) })
  console.error(`Proving as ${identity} …`)
  const purpose = { appId: app, action, signal, level }
  const request = await proveAs(identity, purpose, { rpcUrl: rpc, prove: proverWith(key) })
  return JSON.stringify(request, null, 2)
}

function parseSimulateArguments(args: string[]) {
  const options = {
    app: { type: 'string' },
    action: { type: 'string' },
    signal: { type: 'string', default: '' },
    identity: { type: 'string', default: 'person-0' },
    level: { type: 'string', default: 'orb' },
    rpc: { type: 'string', default: localChainUrl(process.env) },
    help: { type: 'boolean', short: 'h', default: false },
  } as const
  try {
    return parseArgs({ args, options }).values
  } catch (cause) {
    throw new WrongUsage(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}
