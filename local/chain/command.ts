import { parseArgs } from 'node:util'
import { z } from 'zod'
import { localChainUrl } from '../../lib/chain/local-chain-url.ts'
import { r } from '../../lib/proof/field.ts'
import { runCommand, WrongUsage } from '../process/command-line.ts'
import { findDataFolder } from '../process/data-folders.ts'
import { formatCommandLine } from '../process/format-command-line.ts'
import { deployChain } from './deploy.ts'
import { GROUP_NAMES, type Group } from './group-names.ts'
import { describeMistake, Payment, payTokens } from './pay.ts'
import { publishRoot } from './publish-root.ts'

const USAGE = `Usage:
  ${formatCommandLine('chain', 'publish-root <hex> --group production|staging [--data <folder>] [--rpc <url>]')}
      makes the root the latest root of the group on the local chain
  ${formatCommandLine('chain', 'deploy [--data <folder>] [--rpc <url>]')}
      deploys missing contracts and names, and prints the addresses
  ${formatCommandLine('chain', 'pay --to <address> --amount <number> --token USDCE|WLD [--from <address>]')}
      [--data <folder>] [--rpc <url>]
      pays on the local chain, waits until the payment is mined, and prints it as JSON

  <hex>   at most 64 hex digits, with or without 0x; above zero and below the field's modulus
  --amount  as token_amount in the API: a whole number with 6 decimals, so 1500000 is 1.5
  --from  the wallet that pays, any address; it gets the tokens first. By default a wallet of the local chain
  --data  the data folder of a running platform, whose chain is used; by default
          DATA_FOLDER, or the folder of the running platform
  --rpc   the URL of a chain, instead of --data

Examples:
  ${formatCommandLine('chain', 'publish-root 0x2a --group staging')}
  ${formatCommandLine('chain', 'pay --to 0x00000000000000000000000000000000005409ee --amount 1500000 --token USDCE')}

Exit codes: 0 success, 1 the chain does not respond or rejects the transaction, 2 wrong usage.
`

type Values = ReturnType<typeof readArguments>['values']

type CommandArguments = { words: string[]; values: Values; rpc: string }

type Command = {
  /** The options that the command takes besides --data and --rpc. */
  options: readonly (keyof Values)[]
  run(args: CommandArguments): Promise<string>
}

const COMMANDS = new Map<string | undefined, Command>([
  ['publish-root', { options: ['group'], run: publishCommand }],
  ['deploy', { options: [], run: deployCommand }],
  ['pay', { options: ['to', 'amount', 'token', 'from'], run: payCommand }],
])

const COMMON_OPTIONS: readonly (keyof Values)[] = ['data', 'rpc', 'help']

/**
 * Runs the command `chain`: performs an operator's task on the local chain.
 *
 * @returns the exit code
 */
export function runChain(args: string[]): Promise<number> {
  return runCommand(() => runChainCommand(args), USAGE)
}

async function runChainCommand(args: string[]): Promise<string> {
  const { values, positionals } = readArguments(args)
  if (values.help) return USAGE
  const [name, ...words] = positionals
  const command = COMMANDS.get(name)
  if (!command) throw new WrongUsage(name ? `Unknown command: ${name}` : 'A command is missing.')
  const allowed = [...COMMON_OPTIONS, ...command.options]
  for (const option of Object.keys(values))
    if (!allowed.some((candidate) => candidate === option))
      throw new WrongUsage(`${name} does not take --${option}.`)
  const rpc = z
    .url({ protocol: /^https?$/ })
    .safeParse(
      values.rpc ?? localChainUrl(await findDataFolder(values.data ?? process.env.DATA_FOLDER)),
    )
  if (!rpc.success) throw new WrongUsage(`--rpc must be an http or https URL; got ${values.rpc}.`)
  return command.run({ words, values, rpc: rpc.data })
}

function readArguments(args: string[]) {
  const options = {
    group: { type: 'string' },
    to: { type: 'string' },
    token: { type: 'string' },
    amount: { type: 'string' },
    from: { type: 'string' },
    data: { type: 'string' },
    rpc: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  } as const
  try {
    return parseArgs({ args, options, allowPositionals: true })
  } catch (cause) {
    throw new WrongUsage(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

async function publishCommand({ words, values, rpc }: CommandArguments): Promise<string> {
  const [text = '', ...surplus] = words
  if (surplus.length > 0)
    throw new WrongUsage(`publish-root takes one root; remove ${surplus.join(' ')}.`)
  const publication = { rpcUrl: rpc, root: parseRoot(text), group: parseGroup(values.group) }
  const isSent = await publishRoot(publication)
  const root = `0x${publication.root.toString(16).padStart(64, '0')}`
  const groupLabel = `${publication.group} (${GROUP_NAMES[publication.group]})`
  return isSent
    ? `${root} is now the latest root of ${groupLabel}.`
    : `${root} is already the latest root of ${groupLabel}; nothing was sent.`
}

function parseRoot(text: string): bigint {
  if (!/^(0x)?[0-9a-f]{1,64}$/i.test(text))
    throw new WrongUsage(`The root must be 1 to 64 hex digits; got "${text}".`)
  const root = BigInt(`0x${text.replace(/^0x/i, '')}`)
  if (root === 0n || root >= r)
    throw new WrongUsage(`The root must be above 0 and below the field's modulus; got ${text}.`)
  return root
}

function parseGroup(text: string | undefined): Group {
  if (text === 'production' || text === 'staging') return text
  throw new WrongUsage(`--group must be production or staging${text ? `; got ${text}` : ''}.`)
}

async function deployCommand({ words, rpc }: CommandArguments): Promise<string> {
  if (words.length > 0)
    throw new WrongUsage(`deploy takes only options; remove ${words.join(' ')}.`)
  return JSON.stringify(await deployChain(rpc), null, 2)
}

async function payCommand({ words, values, rpc }: CommandArguments): Promise<string> {
  if (words.length > 0) throw new WrongUsage(`pay takes only options; remove ${words.join(' ')}.`)
  const { to, amount, token, from } = values
  const { data, error } = Payment.safeParse({ to, amount, token, from })
  if (error) throw new WrongUsage(`--${describeMistake(error)}.`)
  return JSON.stringify(await payTokens(rpc, data), null, 2)
}
