import { encodeFunctionData, type Hex } from 'viem'
import { abi } from '../../../../local/chain/abi.ts'
import { connectLocalChain, sendAsOwner } from '../../../../local/chain/local-chain.ts'

type Answer = { rpcUrl: string; feed: Hex; answer: bigint }

/** Sets the price of a feed on the local chain (8 decimals), as of now. */
export async function setPrice({ rpcUrl, feed, answer }: Answer): Promise<void> {
  const data = encodeFunctionData({ abi: abi.priceFeed, functionName: 'publish', args: [answer] })
  await sendAsOwner(await connectLocalChain(rpcUrl), feed, data)
}
