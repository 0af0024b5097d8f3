import { type JsonRpc, RpcError } from '../../lib/chain/json-rpc.ts'
import {
  type Block,
  type ChainView,
  createChainView,
  findUserOperation,
  type MinedUserOperation,
  type Receipt,
} from './chain-view.ts'
import type { Chain } from './chains.ts'
import type { Outcome } from './payment-mismatch.ts'

/** A transaction to look for, with the facts from earlier sightings. */
export type TransactionSearch = {
  transaction_hash: string
  /** Empty until a sighting shows the sender. */
  sender: string
  nonce?: string | null
  block_number?: string | null
  block_hash?: string | null
}

type Sender = { sender: string; nonce: string }

/** The address that a transaction goes to: for a simple payment the token's contract; empty for the creation of a contract. */
type Receiver = { receiver: string }

/**
 * The facts about a transaction when the chain was read. `nowhere`: the chain did not know the transaction at `blockTime`,
 * the time of the newest block.
 */
export type Sighting =
  | ({
      kind: 'in a block'
      block: Block
      isFinal: boolean
      nonce: string | null
    } & Receiver &
      Outcome)
  | ({ kind: 'waiting' } & Sender & Receiver)
  /** Another transaction of the same sender has used the nonce. */
  | { kind: 'replaced'; isFinal: boolean }
  | { kind: 'nowhere'; blockTime: Date }
  /** The responses contradict each other, or a response is missing. */
  | { kind: 'unclear'; reason: string }

export type ChainReader = {
  chain: Chain
  /**
   * Looks for many transactions. Returns a sighting for each, in the same order.
   *
   * @throws RpcError if the chain is unreachable or has the wrong chain id
   */
  readSightings(searches: readonly TransactionSearch[]): Promise<Sighting[]>
  /**
   * Looks for an ERC-4337 user operation in the recent blocks.
   *
   * @throws RpcError if the chain is unreachable or has the wrong chain id
   */
  findUserOperation(userOpHash: string): Promise<MinedUserOperation | null>
}

/**
 * Creates the reader of a chain. Its RPC server may be down, slow or behind, or may be several servers that disagree.
 *
 * So the reader distrusts a response that may only mean that a server lacks data:
 * - A receipt counts only if its block is the chain's block at that height.
 * - A missing receipt proves nothing if the chain still has the block of an earlier receipt, or if the server says that the
 *   transaction is in a block.
 * - A nonce counts as used by another transaction only at the depth at which a transaction is final.
 */
export function createChainReader(chain: Chain, rpc: JsonRpc): ChainReader {
  return {
    chain,
    async readSightings(searches) {
      const view = await createChainView(rpc, chain.id)
      return Promise.all(
        searches.map((search) => readSighting(search, view).catch(toUnclearSighting)),
      )
    },
    findUserOperation: (userOpHash) => findUserOperation(rpc, chain.id, userOpHash),
  }

  async function readSighting(search: TransactionSearch, view: ChainView): Promise<Sighting> {
    const receipt = await view.receipt(search.transaction_hash)
    return receipt ? readBlockSighting(search, receipt, view) : readUnminedSighting(search, view)
  }

  async function readBlockSighting(
    search: TransactionSearch,
    receipt: Receipt,
    view: ChainView,
  ): Promise<Sighting> {
    const block = await view.block(receipt.blockNumber)
    if (block?.hash !== receipt.blockHash)
      return unclearSighting('The receipt names a block that the chain does not have.')
    const depth = view.head - block.number + 1n
    const isFinal = depth >= BigInt(chain.confirmations)
    return {
      kind: 'in a block',
      block,
      isFinal,
      sender: receipt.from,
      receiver: receipt.to,
      // The nonce is needed only if the chain later drops this block.
      nonce: isFinal ? null : await findNonce(search, view),
      time: block.time,
      succeeded: receipt.status === 1n,
      events: receipt.logs,
    }
  }

  async function findNonce(search: TransactionSearch, view: ChainView): Promise<string | null> {
    return search.nonce ?? (await view.transaction(search.transaction_hash))?.nonce ?? null
  }

  async function readUnminedSighting(
    search: TransactionSearch,
    view: ChainView,
  ): Promise<Sighting> {
    if (await hasEarlierBlock(search, view))
      return unclearSighting('The chain has the block of an earlier receipt, but not the receipt.')
    const transaction = await view.transaction(search.transaction_hash)
    if (transaction?.isInBlock)
      return unclearSighting('The receipt of a transaction in a block is missing.')
    const sender = transaction ? senderOf(transaction) : earlierSender(search)
    if (!sender) return readNowhereSighting(view)
    const confirmations = BigInt(chain.confirmations)
    if (await isNonceUsed(sender, confirmations, view))
      // Final only at twice the depth, since a missing receipt is weaker evidence than a receipt.
      return { kind: 'replaced', isFinal: await isNonceUsed(sender, 2n * confirmations, view) }
    if (!transaction) return readNowhereSighting(view)
    return { kind: 'waiting', ...senderOf(transaction), receiver: transaction.to }
  }

  async function hasEarlierBlock(
    { block_number, block_hash }: TransactionSearch,
    view: ChainView,
  ): Promise<boolean> {
    if (!block_number || !block_hash) return false
    return (await view.block(BigInt(block_number)))?.hash === block_hash
  }

  async function isNonceUsed(
    { sender, nonce }: Sender,
    depth: bigint,
    view: ChainView,
  ): Promise<boolean> {
    const height = view.head - depth + 1n
    return height >= 0n && (await view.sentBy(sender, height)) > BigInt(nonce)
  }
}

/** The sighting has the newest block's time, because a server that is catching up does not know later transactions. */
async function readNowhereSighting(view: ChainView): Promise<Sighting> {
  const newest = await view.block(view.head)
  return newest
    ? { kind: 'nowhere', blockTime: newest.time }
    : unclearSighting('The newest block is missing.')
}

function earlierSender({ sender, nonce }: TransactionSearch): Sender | null {
  return sender && nonce ? { sender, nonce } : null
}

function senderOf({ from, nonce }: { from: string; nonce: string }): Sender {
  return { sender: from, nonce }
}

function unclearSighting(reason: string): Sighting {
  return { kind: 'unclear', reason }
}

function toUnclearSighting(fault: unknown): Sighting {
  if (fault instanceof RpcError) return unclearSighting(fault.message)
  throw fault
}
