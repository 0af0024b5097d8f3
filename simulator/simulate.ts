import { parseArgs } from 'node:util'
import { publishRoot } from '../chain/publish-root.ts'
import { runCommand, WrongUsage } from '../lib/command-line.ts'
import { developmentKey } from './development-key.ts'
import { member } from './people.ts'
import { prove } from './prove.ts'

const USAGE = `Usage:
  npm run --silent simulate -- --app <app_id> --action <text> [--signal <text>]
                               [--identity <seed>] [--rpc <url>]
      makes a simulated person prove that they have come for an action of a staging app, publishes
      the group's root on the local chain, and prints the body for POST /api/v2/verify/<app_id>

  --action    the action's identifier; an empty text is sign-in
  --signal    what the proof is bound to, by default the empty text; 0x and hex digits mean bytes
  --identity  any text; the same text is the same person, by default person-0
  --rpc       the local chain, by default http://localhost:8545

Exit codes: 0 done, 1 the chain could not be asked or refused, 2 wrong usage.
`

process.exitCode = await runCommand(() => simulate(process.argv.slice(2)), USAGE)

async function simulate(args: string[]): Promise<string> {
  const { help, app, action, signal, identity, rpc } = parse(args)
  if (help) return USAGE
  if (app === undefined) throw new WrongUsage('Which app? Give --app.')
  if (action === undefined) throw new WrongUsage('For which action? Give --action.')
  const person = member(identity)
  const key = await developmentKey({ progress: (message) => console.error(`${message} …`) })
  await publishRoot({ rpcUrl: rpc, group: 'staging', root: person.group.root })
  console.error(`Proving as ${identity} …`)
  return JSON.stringify(await prove(person, { appId: app, action, signal }, key), null, 2)
}

function parse(args: string[]) {
  const options = {
    app: { type: 'string' },
    action: { type: 'string' },
    signal: { type: 'string', default: '' },
    identity: { type: 'string', default: 'person-0' },
    rpc: { type: 'string', default: 'http://localhost:8545' },
    help: { type: 'boolean', short: 'h', default: false },
  } as const
  try {
    return parseArgs({ args, options }).values
  } catch (cause) {
    throw new WrongUsage(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}
