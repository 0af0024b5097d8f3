import { z } from 'zod'
import { type JsonRpc, RpcError } from '../../lib/chain/json-rpc.ts'

export type Block = { number: bigint; hash: string; time: Date }

export type ChainView = Awaited<ReturnType<typeof createChainView>>

/**
 * A chain as one batch sees it, over JSON-RPC: each block and each sender is asked for once.
 *
 * @throws RpcError when the chain cannot be reached, or has another id; so do all functions of the view
 */
export async function createChainView(rpc: JsonRpc, chainId: number) {
  // Read before everything else: all later answers are at least this recent.
  const head = await readHead(rpc, chainId)
  return {
    head,
    async receipt(hash: string): Promise<Receipt | null> {
      const call = { method: 'eth_getTransactionReceipt', params: [hash] }
      const receipt = await askChain(rpc, call, Receipt.nullable())
      return receipt && requireSameHash(receipt, receipt.transactionHash, hash)
    },
    async transaction(hash: string) {
      const call = { method: 'eth_getTransactionByHash', params: [hash] }
      const transaction = await askChain(rpc, call, Transaction.nullable())
      return transaction && requireSameHash(transaction, transaction.hash, hash)
    },
    block: askOnce(async (number: bigint): Promise<Block | null> => {
      const call = { method: 'eth_getBlockByNumber', params: [toQuantity(number), false] }
      const block = await askChain(rpc, call, BlockHead.nullable())
      if (block && block.number !== number) throw new RpcError('Another block was answered.')
      return block
    }),
    /** How many transactions an address had sent by a height: the first nonce that it had not used. */
    sentBy: askOnce((from: string, height: bigint) => {
      const call = { method: 'eth_getTransactionCount', params: [from, toQuantity(height)] }
      return askChain(rpc, call, quantity)
    }),
  }
}

async function readHead(rpc: JsonRpc, chainId: number): Promise<bigint> {
  const [id, head] = await Promise.all([
    askChain(rpc, { method: 'eth_chainId' }, quantity),
    askChain(rpc, { method: 'eth_blockNumber' }, quantity),
  ])
  if (id !== BigInt(chainId)) throw new RpcError(`The chain has id ${id}, not ${chainId}.`)
  return head
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
const storableCount = quantity.refine((number) => number < 2n ** 63n)
/** In seconds. The database cannot read the ISO 8601 text of a time past the year 9999. */
const time = quantity
  .refine((seconds) => seconds < 253_402_300_800n)
  .transform((seconds) => new Date(Number(seconds) * 1_000))

const EventLog = z.object({ address, topics: z.array(hash), data })

/** Whom a transaction is addressed to; a new contract's is addressed to nobody. */
const receiver = address.nullish().transform((to) => to ?? '')

const Receipt = z.object({
  transactionHash: hash,
  blockHash: hash,
  blockNumber: quantity,
  from: address,
  to: receiver,
  status: quantity,
  logs: z.array(EventLog),
})

export type Receipt = z.infer<typeof Receipt>

const Transaction = z
  .object({ hash, from: address, to: receiver, nonce: storableCount, blockHash: hash.nullish() })
  .transform(({ nonce, blockHash, ...rest }) => ({
    ...rest,
    nonce: String(nonce),
    isInBlock: blockHash != null,
  }))

const BlockHead = z
  .object({ number: storableCount, hash, timestamp: time })
  .transform(({ timestamp, ...rest }) => ({ ...rest, time: timestamp }))

async function askChain<T extends z.ZodType>(
  rpc: JsonRpc,
  call: { method: string; params?: unknown[] },
  schema: T,
): Promise<z.infer<T>> {
  const parsed = schema.safeParse(await rpc.request(call))
  if (parsed.success) return parsed.data
  throw new RpcError(`The answer to ${call.method} is malformed.`)
}

function requireSameHash<T>(answer: T, answered: string, asked: string): T {
  if (answered === asked) return answer
  throw new RpcError('Another transaction was answered.')
}

function askOnce<Args extends unknown[], Answer>(find: (...args: Args) => Promise<Answer>) {
  const found = new Map<string, Promise<Answer>>()
  return (...args: Args): Promise<Answer> => {
    const key = args.join()
    const known = found.get(key) ?? find(...args)
    found.set(key, known)
    return known
  }
}

function toQuantity(number: bigint): string {
  return `0x${number.toString(16)}`
}
