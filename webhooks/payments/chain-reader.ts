import { type JsonRpc, RpcError } from '../../lib/chain/json-rpc.ts'
import { type Block, type ChainView, createChainView, type Receipt } from './chain-view.ts'
import type { Chain } from './chains.ts'
import type { Outcome } from './payment-mismatch.ts'

/** A transaction to look for, and what was known about it before. */
export type SoughtTransaction = {
  transaction_hash: string
  /** Empty until the chain has told it. */
  sender: string
  nonce?: string | null
  block_number?: string | null
  block_hash?: string | null
}

type Sender = { sender: string; nonce: string }

/** Whom a transaction is addressed to, which for a payment is the token's contract; empty for a new contract. */
type Receiver = { receiver: string }

/** What the chain says about a transaction at one moment; `nowhere`: unknown at the time of its newest block (`asOf`). */
export type Sighting =
  | ({
      kind: 'in a block'
      block: Block
      isFinal: boolean
      nonce: string | null
    } & Receiver &
      Outcome)
  | ({ kind: 'waiting' } & Sender & Receiver)
  /** Another transaction of the same sender has used its nonce. */
  | { kind: 'replaced'; isFinal: boolean }
  | { kind: 'nowhere'; asOf: Date }
  /** The answers contradict each other, or one is missing. */
  | { kind: 'unclear'; why: string }

export type ChainReader = {
  chain: Chain
  /**
   * Looks for many transactions at once; answers in their order.
   *
   * @throws RpcError when the chain cannot be reached at all, or has the wrong chain id
   */
  look(sought: readonly SoughtTransaction[]): Promise<Sighting[]>
}

/**
 * Reads a chain through a server that may be down, slow or behind, or through several that disagree.
 *
 * So an answer that may only show what this server does not have is not believed. A receipt counts if its
 * block is the chain's block at that height. A missing receipt means nothing while the block that it was in is
 * still there, or while the transaction is said to be in a block. A nonce counts as used by another
 * transaction only at the depth at which a transaction would be final.
 */
export function createChainReader(chain: Chain, rpc: JsonRpc): ChainReader {
  return {
    chain,
    async look(sought) {
      const view = await createChainView(rpc, chain.id)
      return Promise.all(sought.map((one) => lookForOne(one, view).catch(unclearWhenUnanswered)))
    },
  }

  async function lookForOne(sought: SoughtTransaction, view: ChainView): Promise<Sighting> {
    const receipt = await view.receipt(sought.transaction_hash)
    return receipt ? sightInBlock(sought, receipt, view) : sightOutsideBlocks(sought, view)
  }

  async function sightInBlock(
    sought: SoughtTransaction,
    receipt: Receipt,
    view: ChainView,
  ): Promise<Sighting> {
    const block = await view.block(receipt.blockNumber)
    if (block?.hash !== receipt.blockHash)
      return unclearSighting('The receipt is of a block that the chain does not have.')
    const depth = view.head - block.number + 1n
    const isFinal = depth >= BigInt(chain.confirmations)
    return {
      kind: 'in a block',
      block,
      isFinal,
      sender: receipt.from,
      receiver: receipt.to,
      // Needed only if the block goes away again.
      nonce: isFinal ? null : await knownNonce(sought, view),
      time: block.time,
      succeeded: receipt.status === 1n,
      events: receipt.logs,
    }
  }

  async function knownNonce(sought: SoughtTransaction, view: ChainView): Promise<string | null> {
    return sought.nonce ?? (await view.transaction(sought.transaction_hash))?.nonce ?? null
  }

  async function sightOutsideBlocks(sought: SoughtTransaction, view: ChainView): Promise<Sighting> {
    if (await isStillThere(sought, view))
      return unclearSighting('A receipt that was there is missing.')
    const transaction = await view.transaction(sought.transaction_hash)
    if (transaction?.isInBlock)
      return unclearSighting('The receipt of a transaction in a block is missing.')
    const sender = transaction ? senderOf(transaction) : knownSender(sought)
    if (!sender) return sightNowhere(view)
    const confirmations = BigInt(chain.confirmations)
    if (await isNonceUsed(sender, confirmations, view))
      // Final only at twice the depth, since it rests on the absence of a receipt.
      return { kind: 'replaced', isFinal: await isNonceUsed(sender, 2n * confirmations, view) }
    if (!transaction) return sightNowhere(view)
    return { kind: 'waiting', ...senderOf(transaction), receiver: transaction.to }
  }

  async function isStillThere(
    { block_number, block_hash }: SoughtTransaction,
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

/** A server that is still catching up does not know of anything later: only the time of its newest block tells. */
async function sightNowhere(view: ChainView): Promise<Sighting> {
  const newest = await view.block(view.head)
  return newest
    ? { kind: 'nowhere', asOf: newest.time }
    : unclearSighting('The newest block is missing.')
}

function knownSender({ sender, nonce }: SoughtTransaction): Sender | null {
  return sender && nonce ? { sender, nonce } : null
}

function senderOf({ from, nonce }: { from: string; nonce: string }): Sender {
  return { sender: from, nonce }
}

function unclearSighting(why: string): Sighting {
  return { kind: 'unclear', why }
}

function unclearWhenUnanswered(fault: unknown): Sighting {
  if (fault instanceof RpcError) return unclearSighting(fault.message)
  throw fault
}
