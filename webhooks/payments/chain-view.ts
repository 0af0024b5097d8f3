import { z } from 'zod'
import { type JsonRpc, RpcError } from '../../lib/chain/json-rpc.ts'

export type Block = { number: bigint; hash: string; time: Date }

export type ChainView = Awaited<ReturnType<typeof createChainView>>

/**
 * Creates the view of a chain for one batch. Requests each block once over JSON-RPC, and each sender's count once for a
 * height.
 *
 * @throws RpcError if the chain is unreachable or has another id; all functions of the view throw it, too
 */
export async function createChainView(rpc: JsonRpc, chainId: number) {
  // The first request, so that all other responses come from a later time than this block.
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
    block: cacheResults(async (number: bigint): Promise<Block | null> => {
      const call = { method: 'eth_getBlockByNumber', params: [toQuantity(number), false] }
      const block = await askChain(rpc, call, BlockHead.nullable())
      if (block && block.number !== number) throw new RpcError('The server returned another block.')
      return block
    }),
    /** Returns how many transactions an address had sent up to a height. This is its first unused nonce. */
    sentBy: cacheResults((from: string, height: bigint) => {
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
  if (id !== BigInt(chainId)) throw new RpcError(`The chain id must be ${chainId}; got ${id}.`)
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
/** A block number or nonce that the database can store. */
const storableCount = quantity.refine((number) => number < 2n ** 63n)
/** A time in seconds. It must be before the year 10000, because the database cannot read a later time as ISO 8601 text. */
const time = quantity
  .refine((seconds) => seconds < 253_402_300_800n)
  .transform((seconds) => new Date(Number(seconds) * 1_000))

const EventLog = z.object({ address, topics: z.array(hash), data })

/** The address that a transaction goes to; empty for the creation of a contract. */
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
  .transform(({ nonce, blockHash, ...fields }) => ({
    ...fields,
    nonce: String(nonce),
    isInBlock: blockHash != null,
  }))

const BlockHead = z
  .object({ number: storableCount, hash, timestamp: time })
  .transform(({ timestamp, ...fields }) => ({ ...fields, time: timestamp }))

async function askChain<T extends z.ZodType>(
  rpc: JsonRpc,
  call: { method: string; params?: unknown[] },
  schema: T,
): Promise<z.infer<T>> {
  const parsed = schema.safeParse(await rpc.request(call))
  if (parsed.success) return parsed.data
  throw new RpcError(`The response to ${call.method} is malformed.`)
}

function requireSameHash<T>(answer: T, actualHash: string, expectedHash: string): T {
  if (actualHash === expectedHash) return answer
  throw new RpcError('The server returned another transaction.')
}

function cacheResults<Args extends unknown[], Answer>(find: (...args: Args) => Promise<Answer>) {
  const results = new Map<string, Promise<Answer>>()
  return (...args: Args): Promise<Answer> => {
    const key = args.join()
    const result = results.get(key) ?? find(...args)
    results.set(key, result)
    return result
  }
}

function toQuantity(number: bigint): string {
  return `0x${number.toString(16)}`
}
