import { type JsonRpc, RpcError } from '../../lib/chain/json-rpc.ts'
import { type Block, type ChainView, chainView, type Receipt } from './chain-view.ts'
import type { Chain } from './chains.ts'
import type { Outcome } from './payment-mismatch.ts'

/** A transaction to look for, and what was known about it before. */
export type Sought = {
  transaction_hash: string
  from: string
  nonce?: string | null
  block_number?: string | null
  block_hash?: string | null
}

type Sender = { from: string; nonce: string }

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
      const view = await chainView(rpc, chain.id)
      return Promise.all(sought.map((one) => see(one, view).catch(toUnclear)))
    },
  }

  async function see(sought: Sought, view: ChainView): Promise<Sighting> {
    const receipt = await view.receipt(sought.transaction_hash)
    return receipt ? inBlock(sought, receipt, view) : inNoBlock(sought, view)
  }

  async function inBlock(sought: Sought, receipt: Receipt, view: ChainView): Promise<Sighting> {
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

  async function nonceOf(sought: Sought, view: ChainView): Promise<string | null> {
    return sought.nonce ?? (await view.transaction(sought.transaction_hash))?.nonce ?? null
  }

  async function inNoBlock(sought: Sought, view: ChainView): Promise<Sighting> {
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

  async function isStillThere(
    { block_number, block_hash }: Sought,
    view: ChainView,
  ): Promise<boolean> {
    if (!block_number || !block_hash) return false
    return (await view.block(BigInt(block_number)))?.hash === block_hash
  }

  async function isUsed({ from, nonce }: Sender, depth: bigint, view: ChainView): Promise<boolean> {
    const height = view.head - depth + 1n
    return height >= 0n && (await view.sentBy(from, height)) > BigInt(nonce)
  }
}

function senderOf({ from, nonce }: Sought): Sender | null {
  return from && nonce ? { from, nonce } : null
}

function senderIn({ from, nonce }: Sender): Sender {
  return { from, nonce }
}

function unclear(why: string): Sighting {
  return { seen: 'unclear', why }
}

function toUnclear(fault: unknown): Sighting {
  if (fault instanceof RpcError) return unclear(fault.message)
  throw fault
}
