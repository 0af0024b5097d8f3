import { z } from 'zod'
import { type JsonRpc, RpcError } from '../../lib/json-rpc.ts'
import type { Outcome } from './payment.ts'
import type { Chain } from './tokens.ts'

/** A transaction to look for, and what was known about it before. */
export type Sought = {
  transaction_hash: string
  from: string
  nonce?: string | null
  block_number?: string | null
  block_hash?: string | null
}

type Sender = { from: string; nonce: string }
type Block = { number: bigint; hash: string; time: Date }

/** What the chain says about a transaction at one moment. */
export type Sighting =
  | ({
      seen: 'in a block'
      block: Block
      isFinal: boolean
      from: string
      nonce: string | null
    } & Outcome)
  | ({ seen: 'waiting' } & Sender)
  /** Another transaction of the same sender has used its nonce. */
  | { seen: 'replaced'; isFinal: boolean }
  | { seen: 'nowhere' }
  /** The answers contradict each other, or one is missing. */
  | { seen: 'unclear'; why: string }

export type ChainReader = {
  chain: Chain
  /**
   * Looks for many transactions at once; answers in their order.
   *
   * @throws RpcError when the chain cannot be reached at all, or has the wrong chain id
   */
  look(sought: readonly Sought[]): Promise<Sighting[]>
}

/**
 * Reads a chain through a server that may be down, slow or behind, or through several that disagree.
 *
 * So no answer is believed that could be a gap. A receipt counts if its block is the chain's block at that
 * height. A missing receipt means nothing while the block that it was in is still there, or while the
 * transaction is said to be in a block. A nonce counts as used by another transaction only at the depth
 * at which a transaction would be final.
 */
export function chainReader(chain: Chain, rpc: JsonRpc): ChainReader {
  return {
    chain,
    async look(sought) {
      const view = viewOf(rpc, await readHead())
      return Promise.all(sought.map((one) => see(one, view).catch(toUnclear)))
    },
  }

  /** Read before everything else: all later answers are at least this recent. */
  async function readHead(): Promise<bigint> {
    const [id, head] = await Promise.all([
      ask(rpc, { method: 'eth_chainId' }, quantity),
      ask(rpc, { method: 'eth_blockNumber' }, quantity),
    ])
    if (id !== BigInt(chain.id)) throw new RpcError(`The chain has id ${id}, not ${chain.id}.`)
    return head
  }

  async function see(sought: Sought, view: View): Promise<Sighting> {
    const receipt = await view.receipt(sought.transaction_hash)
    return receipt ? inBlock(sought, receipt, view) : inNoBlock(sought, view)
  }

  async function inBlock(sought: Sought, receipt: Receipt, view: View): Promise<Sighting> {
    const block = await view.block(receipt.blockNumber)
    if (block?.hash !== receipt.blockHash) return unclear('a receipt of a block that is not there')
    const depth = view.head - block.number + 1n
    const isFinal = depth >= BigInt(chain.confirmations)
    return {
      seen: 'in a block',
      block,
      isFinal,
      from: receipt.from,
      // Needed only if the block goes away again.
      nonce: isFinal ? null : await nonceOf(sought, view),
      succeeded: receipt.status === 1n,
      events: receipt.logs,
    }
  }

  async function nonceOf(sought: Sought, view: View): Promise<string | null> {
    return sought.nonce ?? (await view.transaction(sought.transaction_hash))?.nonce ?? null
  }

  async function inNoBlock(sought: Sought, view: View): Promise<Sighting> {
    if (await isStillThere(sought, view)) return unclear('a receipt is missing that was there')
    const transaction = await view.transaction(sought.transaction_hash)
    if (transaction?.isInBlock) return unclear('a receipt is missing of what is in a block')
    const sender = transaction ?? senderOf(sought)
    if (!sender) return { seen: 'nowhere' }
    const confirmations = BigInt(chain.confirmations)
    if (await isUsed(sender, confirmations, view))
      // Final only at twice the depth, since it rests on the absence of a receipt.
      return { seen: 'replaced', isFinal: await isUsed(sender, 2n * confirmations, view) }
    return transaction ? { seen: 'waiting', ...senderIn(transaction) } : { seen: 'nowhere' }
  }

  async function isStillThere({ block_number, block_hash }: Sought, view: View): Promise<boolean> {
    if (!block_number || !block_hash) return false
    return (await view.block(BigInt(block_number)))?.hash === block_hash
  }

  async function isUsed({ from, nonce }: Sender, depth: bigint, view: View): Promise<boolean> {
    const height = view.head - depth + 1n
    return height >= 0n && (await view.sentBy(from, height)) > BigInt(nonce)
  }
}

type View = ReturnType<typeof viewOf>

/** The chain as one batch sees it: each block and each sender is asked for once. */
function viewOf(rpc: JsonRpc, head: bigint) {
  return {
    head,
    async receipt(hash: string): Promise<Receipt | null> {
      const call = { method: 'eth_getTransactionReceipt', params: [hash] }
      const receipt = await ask(rpc, call, Receipt.nullable())
      return receipt && requireHash(receipt, receipt.transactionHash, hash)
    },
    async transaction(hash: string) {
      const call = { method: 'eth_getTransactionByHash', params: [hash] }
      const transaction = await ask(rpc, call, Transaction.nullable())
      return transaction && requireHash(transaction, transaction.hash, hash)
    },
    block: once(async (number: bigint): Promise<Block | null> => {
      const call = { method: 'eth_getBlockByNumber', params: [toHex(number), false] }
      const block = await ask(rpc, call, BlockHead.nullable())
      if (block && block.number !== number) throw new RpcError('Another block was answered.')
      return block
    }),
    sentBy: once((from: string, height: bigint) => {
      const call = { method: 'eth_getTransactionCount', params: [from, toHex(height)] }
      return ask(rpc, call, quantity)
    }),
  }
}

const hash = z
  .string()
  .toLowerCase()
  .regex(/^0x[0-9a-f]{64}$/)
const address = z
  .string()
  .toLowerCase()
  .regex(/^0x[0-9a-f]{40}$/)
const data = z
  .string()
  .toLowerCase()
  .regex(/^0x[0-9a-f]*$/)
const quantity = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,64}$/)
  .transform(BigInt)
/** A block number or nonce, no larger than the database can store. */
const count = quantity.refine((number) => number < 2n ** 63n)
/** In seconds. The database cannot read the ISO 8601 text of a time past the year 9999. */
const time = quantity
  .refine((seconds) => seconds < 253_402_300_800n)
  .transform((seconds) => new Date(Number(seconds) * 1_000))

const Event = z.object({ address, topics: z.array(hash), data })

const Receipt = z.object({
  transactionHash: hash,
  blockHash: hash,
  blockNumber: quantity,
  from: address,
  status: quantity,
  logs: z.array(Event),
})

type Receipt = z.infer<typeof Receipt>

const Transaction = z
  .object({ hash, from: address, nonce: count, blockHash: hash.nullish() })
  .transform(({ nonce, blockHash, ...rest }) => ({
    ...rest,
    nonce: String(nonce),
    isInBlock: blockHash != null,
  }))

const BlockHead = z
  .object({ number: count, hash, timestamp: time })
  .transform(({ timestamp, ...rest }) => ({ ...rest, time: timestamp }))

async function ask<T extends z.ZodType>(
  rpc: JsonRpc,
  call: { method: string; params?: unknown[] },
  schema: T,
): Promise<z.infer<T>> {
  const parsed = schema.safeParse(await rpc.request(call))
  if (parsed.success) return parsed.data
  throw new RpcError(`The answer to ${call.method} is malformed.`)
}

function requireHash<T>(answer: T, answered: string, asked: string): T {
  if (answered === asked) return answer
  throw new RpcError('Another transaction was answered.')
}

function once<Args extends unknown[], Answer>(find: (...args: Args) => Promise<Answer>) {
  const found = new Map<string, Promise<Answer>>()
  return (...args: Args): Promise<Answer> => {
    const key = args.join()
    const known = found.get(key) ?? find(...args)
    found.set(key, known)
    return known
  }
}

function senderOf({ from, nonce }: Sought): Sender | null {
  return from && nonce ? { from, nonce } : null
}

function senderIn({ from, nonce }: Sender): Sender {
  return { from, nonce }
}

function toHex(number: bigint): string {
  return `0x${number.toString(16)}`
}

function unclear(why: string): Sighting {
  return { seen: 'unclear', why }
}

function toUnclear(fault: unknown): Sighting {
  if (fault instanceof RpcError) return unclear(fault.message)
  throw fault
}
