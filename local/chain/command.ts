import { parseArgs } from 'node:util'
import { z } from 'zod'
import { localChainUrl } from '../../lib/chain/local-chain-url.ts'
import { r } from '../../lib/proof/field.ts'
import { runCommand, WrongUsage } from '../process/command-line.ts'
import { formatCommandLine } from '../process/format-command-line.ts'
import { deployChain } from './deploy.ts'
import { GROUP_NAMES, type Group } from './group-names.ts'
import { publishRoot } from './publish-root.ts'

const USAGE = `Usage:
  ${formatCommandLine('chain', 'publish-root <hex> --group production|staging [--data <folder>] [--rpc <url>]')}
      makes the root the latest root of the group on the local chain
  ${formatCommandLine('chain', 'deploy [--data <folder>] [--rpc <url>]')}
      deploys missing contracts and names, and prints the addresses

  <hex>   at most 64 hex digits, with or without 0x; above zero and below the field's modulus
  --data  the data folder of a running platform, whose chain is used; default: DATA_FOLDER, or .data
  --rpc   the URL of a chain, instead of --data

Example:
  ${formatCommandLine('chain', 'publish-root 0x2a --group staging')}

Exit codes: 0 success, 1 the chain does not respond or rejects the transaction, 2 wrong usage.
`

type CommandArguments = { words: string[]; group: string | undefined; rpc: string }

const commands = new Map<string | undefined, (words: CommandArguments) => Promise<string>>([
  ['publish-root', publishCommand],
  ['deploy', deployCommand],
])

/**
 * Runs the command `chain`: performs an operator's task on the local chain.
 *
 * @returns the exit code
 */
export function runChain(args: string[]): Promise<number> {
  return runCommand(() => runChainCommand(args), USAGE)
}

async function runChainCommand(args: string[]): Promise<string> {
  const { help, name, words } = parseCommand(args)
  if (help) return USAGE
  const command = commands.get(name)
  if (!command) throw new WrongUsage(name ? `Unknown command: ${name}` : 'A command is missing.')
  return command(words)
}

function parseCommand(args: string[]) {
  const { values, positionals } = readArguments(args)
  const [name, ...words] = positionals
  const rpc = z.url({ protocol: /^https?$/ }).safeParse(values.rpc ?? localChainUrl(values.data))
  if (!rpc.success) throw new WrongUsage(`--rpc must be an http or https URL; got ${values.rpc}.`)
  return { help: values.help, name, words: { words, group: values.group, rpc: rpc.data } }
}

function readArguments(args: string[]) {
  const options = {
    group: { type: 'string' },
    data: { type: 'string', default: process.env.DATA_FOLDER ?? '.data' },
    rpc: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  } as const
  try {
    return parseArgs({ args, options, allowPositionals: true })
  } catch (cause) {
    throw new WrongUsage(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

async function publishCommand({ words, group, rpc }: CommandArguments): Promise<string> {
  const [text = '', ...surplus] = words
  if (surplus.length > 0)
    throw new WrongUsage(`publish-root takes one root; remove ${surplus.join(' ')}.`)
  const publication = { rpcUrl: rpc, root: parseRoot(text), group: parseGroup(group) }
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

async function deployCommand({ words, group, rpc }: CommandArguments): Promise<string> {
  if (words.length > 0 || group) throw new WrongUsage('deploy takes only --data or --rpc.')
  return JSON.stringify(await deployChain(rpc), null, 2)
}
