import { BaseError, type Client, createClient, custom, type Hex, isAddress } from 'viem'
import { z } from 'zod'
import { createJsonRpc, type JsonRpc, RpcError } from './json-rpc.ts'

/** A chain whose server is checked before its responses are used. */
export type GuardedChain = {
  /** Resolves if the server has the expected chain id. */
  confirmChain(): Promise<void>
  /**
   * Asks the chain a question, after a check of the server's chain id; makes at most two attempts.
   *
   * @throws WrongChain if the chain id differs, or ChainUnavailable if both attempts fail
   */
  ask<Answer>(question: (client: Client) => Promise<Answer>): Promise<Answer>
}

export type GuardedChainOptions = {
  rpcUrl: string
  /** The id of the contracts' chain (EIP-155). */
  chainId: number
  /** The timeout of one request, until its whole response is read. A call makes at most two attempts. */
  timeoutMs: number
}

/** An error: the chain's server is down or too slow, or its response cannot come from the expected contract. */
export class ChainUnavailable extends Error {
  override readonly name = 'ChainUnavailable'
}

/** An error: the server belongs to another chain than the contracts, so its responses are not used. */
export class WrongChain extends ChainUnavailable {
  readonly actual: bigint
  readonly expected: number

  constructor(actual: bigint, expected: number) {
    super(`The server belongs to chain ${actual}; expected chain ${expected}.`)
    this.actual = actual
    this.expected = expected
  }
}

/** An error: an address or a chain id is malformed, or the expected contract cannot have sent this response. */
export class ImplausibleAnswer extends Error {}

/**
 * Creates a guarded chain. Each question first checks the server's chain id, until a check has succeeded. Concurrent
 * questions share a request.
 */
export function createGuardedChain(options: GuardedChainOptions): GuardedChain {
  const rpc = batchingRpc(options)
  // With CCIP read, a contract could make this server request any URL.
  const client = createClient({ ccipRead: false, transport: custom(rpc, { retryCount: 0 }) })
  const confirmChain = chainConfirmation(rpc, options.chainId)
  return {
    confirmChain: () => attemptTwice(confirmChain),
    ask: (question) => attemptTwice(() => confirmChain().then(() => question(client))),
  }
}

/** @throws ImplausibleAnswer */
export function parseAddress(text: string): Hex {
  if (!isAddress(text, { strict: false })) throw new ImplausibleAnswer(`${text} is not an address.`)
  return text
}

/**
 * Creates a client that batches concurrent lookups. Under load, batches take less CPU time and fewer connections than
 * single calls.
 */
function batchingRpc({ rpcUrl, timeoutMs }: GuardedChainOptions): JsonRpc {
  return createJsonRpc({ url: rpcUrl, timeoutMs, batchSize: 100, maxAttempts: 1 })
}

const ChainId = z.string().regex(/^0x[0-9a-f]{1,16}$/i)

/** Creates the function that checks the chain id. After a success, it does not ask the server again. */
function chainConfirmation(rpc: JsonRpc, expected: number): () => Promise<void> {
  let isConfirmed = false
  return async () => {
    if (isConfirmed) return
    const { data } = ChainId.safeParse(await rpc.request({ method: 'eth_chainId' }))
    if (data === undefined)
      throw new ImplausibleAnswer('The server did not return a valid chain id.')
    if (BigInt(data) !== BigInt(expected)) throw new WrongChain(BigInt(data), expected)
    isConfirmed = true
  }
}

/** Makes a call, and repeats it once if it fails. A call often fails because the server has just closed its connection. */
async function attemptTwice<Answer>(callContract: () => Promise<Answer>): Promise<Answer> {
  return callContract()
    .catch(callContract)
    .catch((fault: unknown) => {
      if (fault instanceof WrongChain) throw fault
      // No cause: viem's errors quote the server's text, which may contain the key in our URL.
      throw new ChainUnavailable(describeChainFault(fault))
    })
}

function describeChainFault(fault: unknown): string {
  if (fault instanceof ImplausibleAnswer || fault instanceof RpcError) return fault.message
  if (!(fault instanceof BaseError)) return 'The call to the chain failed.'
  const inRpc = fault.walk((cause) => cause instanceof RpcError)
  return inRpc instanceof RpcError ? inRpc.message : fault.shortMessage
}
