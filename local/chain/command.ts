import { parseArgs } from 'node:util'
import { z } from 'zod'
import { localChainUrl } from '../../lib/chain/local-chain-url.ts'
import { r } from '../../lib/proof/field.ts'
import { runCommand, WrongUsage } from '../process/command-line.ts'
import { ownCommand } from '../process/own-command.ts'
import { deployChain } from './deploy.ts'
import { GROUP_NAMES, type Group } from './group-names.ts'
import { publishRoot } from './publish-root.ts'

const USAGE = `Usage:
  ${ownCommand('chain', 'publish-root <hex> --group production|staging [--data <folder>] [--rpc <url>]')}
      makes the root the latest one of the group on the local chain
  ${ownCommand('chain', 'deploy [--data <folder>] [--rpc <url>]')}
      puts missing contracts and names on the chain, and prints the addresses

  <hex>   at most 64 hex digits, with or without 0x; above zero and below the field's modulus
  --data  the data folder of a running platform, whose chain it is; DATA_FOLDER, or .data, by default
  --rpc   the address of a chain instead

Example:
  ${ownCommand('chain', 'publish-root 0x2a --group staging')}

Exit codes: 0 done, 1 the chain does not answer or refuses, 2 wrong usage.
`

type Words = { words: string[]; group: string | undefined; rpc: string }

const commands = new Map<string | undefined, (words: Words) => Promise<string>>([
  ['publish-root', publishCommand],
  ['deploy', deployCommand],
])

/**
 * The command `chain`: does what an operator does to the local chain.
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
  if (!rpc.success) throw new WrongUsage(`Not the address of a chain: ${values.rpc}`)
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

async function publishCommand({ words, group, rpc }: Words): Promise<string> {
  const [text = '', ...surplus] = words
  if (surplus.length > 0)
    throw new WrongUsage(`One root at a time; also given: ${surplus.join(' ')}`)
  const publication = { rpcUrl: rpc, root: parseRoot(text), group: parseGroup(group) }
  const sent = await publishRoot(publication)
  const root = `0x${publication.root.toString(16).padStart(64, '0')}`
  const named = `${publication.group} (${GROUP_NAMES[publication.group]})`
  return sent
    ? `${root} is now the latest root of ${named}.`
    : `${root} is already the latest root of ${named}; nothing was sent.`
}

function parseRoot(text: string): bigint {
  if (!/^(0x)?[0-9a-f]{1,64}$/i.test(text)) throw new WrongUsage(`Not a root in hex: "${text}"`)
  const root = BigInt(`0x${text.replace(/^0x/i, '')}`)
  if (root === 0n || root >= r)
    throw new WrongUsage(`A root is above 0 and below the field's modulus, unlike ${text}`)
  return root
}

function parseGroup(text: string | undefined): Group {
  if (text === 'production' || text === 'staging') return text
  throw new WrongUsage(`--group must be production or staging${text ? `, not ${text}` : ''}.`)
}

async function deployCommand({ words, group, rpc }: Words): Promise<string> {
  if (words.length > 0 || group) throw new WrongUsage('deploy takes nothing but --data or --rpc.')
  return JSON.stringify(await deployChain(rpc), null, 2)
}
