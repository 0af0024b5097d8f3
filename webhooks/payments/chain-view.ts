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

export type MinedUserOperation = {
  sender: string
  transactionHash: string
  /** In hex. */
  nonce: string
  succeeded: boolean
}

/** keccak-256 of `UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)`. */
const USER_OPERATION_EVENT = '0x49628fd1471006c1482da88028e9ce4dbb080b815c9b0344d39e5a8e6ec1419f'

/** ERC-4337's entry points of versions 0.6, 0.7 and 0.8. Any other contract could emit the event without an operation. */
const ENTRY_POINTS = [
  '0x5ff137d4b0fdcd49dca30c7cf57e578a026d2789',
  '0x0000000071727de22e5e9d8baf0edac6f37da032',
  '0x4337084d9e255ff0702461cf8895ce9e9b5ff108',
]

/** The number of blocks that are searched: almost three hours on World Chain. Many RPC servers refuse a longer range. */
const SEARCHED_BLOCKS = 5_000n

/**
 * Looks for a user operation in the recent blocks of a chain.
 *
 * @throws RpcError if the chain is unreachable or has another id
 */
export async function findUserOperation(
  rpc: JsonRpc,
  chainId: number,
  userOpHash: string,
): Promise<MinedUserOperation | null> {
  const head = await readHead(rpc, chainId)
  const filter = {
    address: ENTRY_POINTS,
    topics: [USER_OPERATION_EVENT, userOpHash],
    fromBlock: toQuantity(head > SEARCHED_BLOCKS ? head - SEARCHED_BLOCKS : 0n),
    toBlock: toQuantity(head),
  }
  const events = await askChain(
    rpc,
    { method: 'eth_getLogs', params: [filter] },
    z.array(UserOperationEvent),
  )
  return events.find(({ userOpHash: answered }) => answered === userOpHash) ?? null
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

/** The data are the nonce, whether the operation succeeded, and two numbers about gas: 32 bytes each. */
const UserOperationEvent = z
  .object({
    topics: z.tuple([hash, hash, hash, hash]),
    data: data.refine((text) => text.length === 2 + 4 * 64),
    transactionHash: hash,
  })
  .transform(({ topics: [, userOpHash, sender], data: words, transactionHash }) => ({
    userOpHash,
    sender: `0x${sender.slice(-40)}`,
    transactionHash,
    nonce: toQuantity(BigInt(words.slice(0, 66))),
    succeeded: BigInt(`0x${words.slice(66, 130)}`) === 1n,
  }))

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
