import { setTimeout as sleep } from 'node:timers/promises'
import {
  BaseError,
  type Client,
  createTestClient,
  type Hex,
  type HttpTransport,
  http,
  type JsonRpcAccount,
  type PublicActions,
  publicActions,
  type TestActions,
  TransactionReceiptNotFoundError,
  TransactionRejectedRpcError,
  type WalletActions,
  walletActions,
} from 'viem'
import { formatCommandLine } from '../process/format-command-line.ts'

/** anvil's chain id. `connectLocalChain` rejects any other chain. */
export const CHAIN_ID = 31337

/**
 * The owner of all contracts and names: anvil's first account. anvil signs for the account, so no private key is
 * needed.
 */
export const OWNER = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'

type Owner = JsonRpcAccount<typeof OWNER>

export type LocalChain = Client<HttpTransport, undefined, Owner> &
  TestActions &
  PublicActions<HttpTransport, undefined, Owner> &
  WalletActions<undefined, Owner>

/**
 * Connects to the local chain with all rights: to read, to send as the owner, to move the clock.
 *
 * @throws Error with a message for the user at the terminal if no chain responds, or if it has another id
 */
export async function connectLocalChain(rpcUrl: string): Promise<LocalChain> {
  const chain = localChainClient(rpcUrl)
  const id = await chain.getChainId().catch((cause: unknown) => {
    throw new Error(
      `No chain responds at ${rpcUrl}. Is "${formatCommandLine('start')}" running? If it uses another data folder, pass --data or --rpc.`,
      { cause },
    )
  })
  if (id === CHAIN_ID) return chain
  throw new Error(
    `The chain at ${rpcUrl} must have the id ${CHAIN_ID} of the local chain; got ${id}. Nothing was sent.`,
  )
}

function localChainClient(rpcUrl: string): LocalChain {
  const transport = http(rpcUrl, { retryCount: 0, timeout: 10_000 })
  return createTestClient({ mode: 'anvil', account: OWNER, pollingInterval: 10, transport })
    .extend(publicActions)
    .extend(walletActions)
}

const MAX_WAIT_MS = 15_000

/**
 * The gas limit of every transaction, more than any transaction here needs. An estimate would be valid only for the
 * current state and second: another transaction or the clock may raise the cost.
 */
const MAX_GAS = 5_000_000n

/**
 * Sends a transaction as the owner, and waits up to 15 seconds until it is mined.
 *
 * @throws Error if the transaction is mined and reverted, or is not mined in time
 */
export async function sendAsOwner(chain: LocalChain, to: Hex, data: Hex): Promise<void> {
  await sendFrom(chain, OWNER, { to, data })
}

/**
 * Sends a transaction of an account for which anvil signs, and waits up to 15 seconds until it is mined.
 *
 * Processes that send at the same moment choose the same nonce. One transaction is mined. The other transactions are
 * rejected or silently dropped, and are sent again with the next nonce.
 *
 * @returns the hash of the mined transaction
 * @throws Error if the transaction is mined and reverted, or is not mined in time
 */
export async function sendFrom(
  chain: LocalChain,
  from: Hex,
  { to, data }: { to: Hex; data: Hex },
): Promise<Hex> {
  const deadline = Date.now() + MAX_WAIT_MS
  while (Date.now() < deadline) {
    const nonce = await chain.getTransactionCount({ address: from })
    const hash = await trySendTransaction(chain, { account: from, to, data, nonce })
    if (hash && (await isMined(chain, hash, { from, nonce }))) return hash
    await sleep(Math.random() * 20)
  }
  throw new Error(
    `The local chain has not mined a transaction to ${to} within ${MAX_WAIT_MS / 1000} s.`,
  )
}

type Transaction = { account: Hex; to: Hex; data: Hex; nonce: number }

/** Sends a transaction. @returns its hash, or null when another transaction has its nonce */
async function trySendTransaction(
  chain: LocalChain,
  transaction: Transaction,
): Promise<Hex | null> {
  try {
    return await chain.sendTransaction({ ...transaction, gas: MAX_GAS, chain: null })
  } catch (fault) {
    const refusal = (cause: unknown) => cause instanceof TransactionRejectedRpcError
    if (fault instanceof BaseError && fault.walk(refusal)) return null
    throw fault
  }
}

/** Waits until the transaction is mined. Returns false if another transaction has used its nonce, or after 15 seconds. */
async function isMined(
  chain: LocalChain,
  hash: Hex,
  { from, nonce }: { from: Hex; nonce: number },
): Promise<boolean> {
  const deadline = Date.now() + MAX_WAIT_MS
  while (Date.now() < deadline) {
    // The nonce must be read first: if it was used and there is no receipt afterwards, another transaction used it.
    const next = await chain.getTransactionCount({ address: from })
    const receipt = await chain.getTransactionReceipt({ hash }).catch(nullIfNotFound)
    if (receipt?.status === 'reverted') throw new Error(`The transaction ${hash} was reverted.`)
    if (receipt) return true
    if (next > nonce) return false
    await sleep(5)
  }
  return false
}

function nullIfNotFound(fault: unknown): null {
  if (fault instanceof TransactionReceiptNotFoundError) return null
  throw fault
}
