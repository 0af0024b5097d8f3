import { parseArgs } from 'node:util'
import { localChainUrl } from '../../lib/chain/local-chain-url.ts'
import { parseField } from '../../lib/proof/encoding.ts'
import { CREDENTIAL_NAMES } from '../../lib/proof/protocol-4/credentials.ts'
import { VERIFICATION_LEVELS } from '../../lib/proof/verification-level.ts'
import { firstIssue, parseInWords } from '../../lib/runtime/parse-in-words.ts'
import { verifierAddress } from '../chain/deploy-world-id.ts'
import { runCommand, WrongUsage } from '../process/command-line.ts'
import { findDataFolder } from '../process/data-folders.ts'
import { formatCommandLine } from '../process/format-command-line.ts'
import { developmentKey, developmentKey4 } from './development-key/development-key.ts'
import { createCredentialProver } from './protocol-4/prove-credential.ts'
import { ProveInput4, proveForPerson4 } from './protocol-4/prove-input.ts'
import { verifierKeys } from './protocol-4/verifier-keys.ts'
import { createProver } from './prove.ts'
import { proveForPerson } from './prove-for-person.ts'

const USAGE = `Usage:
  ${formatCommandLine('simulate', '--app <app_id> --action <text>')}
      [--signal <text> | --signal-hash <hex>] [--identity <seed>] [--level <level>] [--data <folder>] [--rpc <url>]
      makes a proof of a simulated person for an action of a staging app, publishes
      the group's root on the local chain, and prints the body for POST /api/v2/verify/<app_id>
  ${formatCommandLine('simulate', '--protocol 4.0 --app <app_id> (--action <text> | --session-id create|<id>)')}
      [--signal <text> | --signal-hash <hex>] [--identity <seed>] [--credential <name>] [--nonce <hex>]
      [--expires-at-min <seconds>] [--genesis-issued-at-min <seconds>] [--data <folder>] [--rpc <url>]
      makes a proof of protocol 4.0, and prints the body for POST /api/v4/verify/<app_id>

  --action    the action's identifier; empty for sign-in
  --signal    the text to which the proof is bound, empty by default; 0x and hex digits mean bytes
  --signal-hash  the hash of the signal, instead of the signal
  --identity  any text, person-0 by default; the same text is the same person
  --level     the verification level, orb by default: ${VERIFICATION_LEVELS.join(', ')}
  --protocol  3.0 by default, or 4.0
  --credential  the credential of protocol 4.0, proof_of_human by default: ${CREDENTIAL_NAMES.join(', ')}
  --session-id  create opens a session; the id in its output proves the same person again
  --nonce     the nonce of the request, random by default
  --expires-at-min, --genesis-issued-at-min  bounds of the credential, in seconds since 1970
  --data      the data folder of a running platform, whose chain is used; by default
             DATA_FOLDER, or the folder of the running platform
  --rpc       the URL of a chain, instead of --data

Example: verify a person with the demo's app
  ${formatCommandLine('simulate', '--app app_staging_00000000000000000000000000000001 --action vote')} |
    curl localhost:3000/api/v2/verify/app_staging_00000000000000000000000000000001 -H 'content-type: application/json' -d @-

Exit codes: 0 success, 1 the chain does not respond or rejects the transaction, 2 wrong usage.
`

const DEFAULT_LEVEL = 'orb'

const OPTIONS_OF_4 = [
  'credential',
  'session-id',
  'nonce',
  'expires-at-min',
  'genesis-issued-at-min',
] as const

/**
 * Runs the command `simulate`: prints a proof of a simulated person.
 *
 * @returns the exit code
 */
export function runSimulate(args: string[]): Promise<number> {
  return runCommand(() => simulate(args), USAGE)
}

async function simulate(args: string[]): Promise<string> {
  const { help, app, action, signal, identity, data, rpc, ...otherOptions } =
    parseSimulateArguments(args)

  if (help) return USAGE
  if (otherOptions.protocol === '4.0') return simulate4(args)
  if (otherOptions.protocol !== '3.0')
    throw new WrongUsage(`--protocol must be 3.0 or 4.0; got ${otherOptions.protocol}.`)
  for (const option of OPTIONS_OF_4)
    if (otherOptions[option] !== undefined)
      throw new WrongUsage(`--${option} needs --protocol 4.0.`)
  if (app === undefined) throw new WrongUsage('--app is missing: pass the id of an app.')
  if (action === undefined)
    throw new WrongUsage('--action is missing: pass the identifier of an action.')
  const signalHash = parseSignalHash(otherOptions['signal-hash'])
  if (signal !== undefined && signalHash !== undefined)
    throw new WrongUsage('Pass --signal or --signal-hash, not both.')
  const level = VERIFICATION_LEVELS.find((name) => name === otherOptions.level)
  if (level === undefined)
    throw new WrongUsage(
      `--level must be ${VERIFICATION_LEVELS.join(', ')}; got ${otherOptions.level}.`,
    )
  const key = await developmentKey({ progress: (message) => console.error(`${message} …`) })
  warnUnlessStaging(app)
  console.error(`Proving as ${identity} …`)
  const purpose = { appId: app, action, signal, signalHash, level }
  const rpcUrl = rpc ?? localChainUrl(await findDataFolder(data ?? process.env.DATA_FOLDER))
  const request = await proveForPerson(identity, purpose, { rpcUrl, prove: createProver(key) })
  return JSON.stringify(request, null, 2)
}

/** Makes a proof of protocol 4.0. The options have the rules of the fields of `POST /prove`. */
async function simulate4(args: string[]): Promise<string> {
  const { app, data, rpc, level, help: _, ...options } = parseSimulateArguments(args)
  if (level !== DEFAULT_LEVEL) throw new WrongUsage('--level needs --protocol 3.0.')
  const fields = Object.entries({ app_id: app, ...options }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name.replaceAll('-', '_'), value]],
  )
  const input = parseInWords(ProveInput4, Object.fromEntries(fields))
  if (!input.success) throw new WrongUsage(describeMistake(firstIssue(input.error)))
  const key = await developmentKey4({ progress: (message) => console.error(`${message} …`) })
  const { staging } = await verifierKeys()
  const tools = {
    rpcUrl: rpc ?? localChainUrl(await findDataFolder(data ?? process.env.DATA_FOLDER)),
    verifier: await verifierAddress('staging', staging),
    prove: createCredentialProver(key),
  }
  warnUnlessStaging(input.data.app_id)
  console.error(`Proving as ${input.data.identity} …`)
  return JSON.stringify(await proveForPerson4(input.data, tools), null, 2)
}

/** Names the option of a wrong field. */
function describeMistake({ path, message }: { path: PropertyKey[]; message: string }): string {
  const option = path.join('.').replace('app_id', 'app').replaceAll('_', '-')
  return option ? `--${option}: ${message}` : message
}

function warnUnlessStaging(app: string) {
  if (!/^(app|wid)_staging_/.test(app))
    console.error(
      `Warning: only staging apps accept simulated people, and their ids begin with app_staging_; got ${app}.`,
    )
}

function parseSignalHash(text: string | undefined): bigint | undefined {
  if (text === undefined) return undefined
  const hash = parseField(text)
  if (hash === null)
    throw new WrongUsage(`--signal-hash must be 1 to 64 hex digits below the modulus; got ${text}.`)
  return hash
}

function parseSimulateArguments(args: string[]) {
  const options = {
    app: { type: 'string' },
    action: { type: 'string' },
    signal: { type: 'string' },
    'signal-hash': { type: 'string' },
    identity: { type: 'string', default: 'person-0' },
    level: { type: 'string', default: DEFAULT_LEVEL },
    protocol: { type: 'string', default: '3.0' },
    credential: { type: 'string' },
    'session-id': { type: 'string' },
    nonce: { type: 'string' },
    'expires-at-min': { type: 'string' },
    'genesis-issued-at-min': { type: 'string' },
    data: { type: 'string' },
    rpc: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  } as const
  try {
    return parseArgs({ args, options }).values
  } catch (cause) {
    throw new WrongUsage(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}
