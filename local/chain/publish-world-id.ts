import { encodeFunctionData, type Hex } from 'viem'
import { abi } from './abi.ts'
import { connectLocalChain, type LocalChain, sendAsOwner } from './local-chain.ts'

type Point = { x: bigint; y: bigint }

/** The facts that a verifier contract needs to verify a proof of protocol 4.0. */
export type WorldIdFacts = {
  root: bigint
  issuer: { id: bigint; key: Point }
  relyingParty: { id: bigint; oprfKey: Point }
}

/**
 * Publishes facts in a verifier contract of the local chain: makes the root the latest root, and sets the keys of the issuer
 * and of the relying party. Sends nothing for facts that the contract has.
 *
 * @throws Error with a message for the user at the terminal
 */
export async function publishWorldId(
  { rpcUrl, verifier }: { rpcUrl: string; verifier: Hex },
  { root, issuer, relyingParty }: WorldIdFacts,
): Promise<void> {
  const chain = await connectLocalChain(rpcUrl)
  const contract = { address: verifier, abi: abi.worldId } as const
  const [latestRoot, issuerKey, oprfKey] = await Promise.all([
    chain.readContract({ ...contract, functionName: 'getLatestRoot' }),
    chain.readContract({
      ...contract,
      functionName: 'issuerSchemaIdToPubkey',
      args: [issuer.id],
    }),
    readOprfKey(chain, verifier, relyingParty.id),
  ])
  const send = (data: Hex) => sendAsOwner(chain, verifier, data)
  if (!isSamePoint(issuerKey, issuer.key)) {
    const args = [issuer.id, issuer.key] as const
    await send(encodeFunctionData({ ...contract, functionName: 'registerIssuer', args }))
  }
  if (!isSamePoint(oprfKey, relyingParty.oprfKey)) {
    const args = [relyingParty.id, relyingParty.oprfKey] as const
    await send(encodeFunctionData({ ...contract, functionName: 'registerOprfKey', args }))
  }
  if (latestRoot !== root)
    await send(encodeFunctionData({ ...contract, functionName: 'publishRoot', args: [root] }))
}

/** Returns the OPRF key of a relying party, or null: the contract reverts if there is none. */
async function readOprfKey(chain: LocalChain, address: Hex, id: bigint): Promise<Point | null> {
  const call = { address, abi: abi.worldId, functionName: 'getOprfPublicKey' } as const
  return chain.readContract({ ...call, args: [id] }).catch(() => null)
}

function isSamePoint(point: Point | null, { x, y }: Point): boolean {
  return point?.x === x && point.y === y
}
