import { concat, type Hex, numberToHex, pad, toEventSelector } from 'viem'
import { connectLocalChain } from '../../../local/chain/local-chain.ts'
import type { TestPlatform } from '../webhooks/start-platform.ts'

/** ERC-4337's entry point of version 0.7. */
const ENTRY_POINT = '0x0000000071727De22E5E9d8BAf0edAc6f37da032'

const EVENT = toEventSelector(
  'UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)',
)

/** The wallet of each event. */
export const OPERATION_SENDER = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'

type UserOperationEvent = {
  userOpHash: string
  /** The contract that emits the event; by default an entry point. */
  at?: Hex
  succeeded?: boolean
}

/** Lets a contract emit the event of a user operation. Returns the hash of the transaction. */
export async function emitUserOperation(
  { anvil }: Pick<TestPlatform, 'anvil'>,
  { userOpHash, at = ENTRY_POINT, succeeded = true }: UserOperationEvent,
): Promise<Hex> {
  const chain = await connectLocalChain(anvil.rpcUrl)
  const topics = [EVENT, pad(`0x${userOpHash.slice(2)}`), pad(OPERATION_SENDER), pad('0x0')]
  // Stores the nonce 7 and the success in memory, and logs 128 bytes with the topics: PUSH, MSTORE, LOG4, STOP.
  const bytecode = concat([
    '0x6007600052',
    '0x60',
    numberToHex(succeeded ? 1 : 0, { size: 1 }),
    '0x602052',
    ...topics.toReversed().map((topic) => concat(['0x7f', topic])),
    '0x60806000a400',
  ])
  await chain.setCode({ address: at, bytecode })
  const transactionHash = await chain.sendTransaction({ to: at, chain: null })
  await chain.waitForTransactionReceipt({ hash: transactionHash })
  return transactionHash
}
