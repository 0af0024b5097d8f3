import { setTimeout as pause } from 'node:timers/promises'
import {
  BaseError,
  createTestClient,
  type Hex,
  http,
  publicActions,
  TransactionRejectedRpcError,
  walletActions,
} from 'viem'

/** anvil's chain id. Everything here that writes refuses any other chain. */
export const CHAIN_ID = 31337

/**
 * Owner of all contracts and names: anvil's first account. anvil itself signs for it, so no private
 * key is kept here.
 */
export const OWNER = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'

export type LocalChain = ReturnType<typeof client>

/**
 * Everything that one may do to a chain of one's own: read it, send as the owner, move its clock.
 *
 * @throws Error with a sentence for the person at the terminal, when it is not the local chain
 */
export async function localChain(rpcUrl: string): Promise<LocalChain> {
  const chain = client(rpcUrl)
  const id = await chain.getChainId().catch((cause: unknown) => {
    throw new Error(`No chain answers at ${rpcUrl}. Is "npm start" running?`, { cause })
  })
  if (id === CHAIN_ID) return chain
  throw new Error(
    `The chain at ${rpcUrl} has id ${id}; the local one has ${CHAIN_ID}. Nothing sent.`,
  )
}

function client(rpcUrl: string) {
  const transport = http(rpcUrl, { retryCount: 0, timeout: 10_000 })
  return createTestClient({ mode: 'anvil', account: OWNER, pollingInterval: 10, transport })
    .extend(publicActions)
    .extend(walletActions)
}

const PATIENCE_MS = 10_000

/**
 * More than anything here needs. An estimate is right only for the state and the second in which it
 * was made: another's transaction, or the clock, makes the same call cost more.
 */
const GAS = 5_000_000n

/**
 * Sends a transaction as the owner and waits until it is mined.
 *
 * anvil gives two transactions that come at the same moment the same number, and refuses the second;
 * that one is sent again.
 *
 * @throws when it is mined without success
 */
export async function send(chain: LocalChain, to: Hex, data: Hex): Promise<void> {
  const transaction = { to, data, gas: GAS, chain: null, throwOnReceiptRevert: true }
  const deadline = Date.now() + PATIENCE_MS
  while (true) {
    try {
      await chain.sendTransactionSync(transaction)
      return
    } catch (fault) {
      if (!wasRefused(fault) || Date.now() > deadline) throw fault
      await pause(Math.random() * 20)
    }
  }
}

function wasRefused(fault: unknown): boolean {
  const refusal = (cause: unknown) => cause instanceof TransactionRejectedRpcError
  return fault instanceof BaseError && fault.walk(refusal) !== null
}
