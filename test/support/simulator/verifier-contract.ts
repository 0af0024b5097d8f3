import { inject } from 'vitest'
import { z } from 'zod'
import { hashToField } from '../../../lib/proof/encoding.ts'
import { parseRpId, rpIdOfApp } from '../../../lib/proof/protocol-4/rp-id.ts'
import { parseSessionId } from '../../../lib/proof/protocol-4/session-id.ts'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import { abi } from '../../../local/chain/abi.ts'
import { connectLocalChain } from '../../../local/chain/local-chain.ts'

/** A result of IDKit, or the body of a verify request. */
type Result = {
  nonce: string
  session_id?: string | undefined
  responses: readonly object[]
}

const Item = z.object({
  issuer_schema_id: z.number(),
  expires_at_min: z.number(),
  credential_genesis_issued_at_min: z.number().default(0),
  signal_hash: z.string().default('0'),
  proof: z.array(z.string().transform(BigInt)).length(5),
  nullifier: z.string().default('0'),
  session_nullifier: z.array(z.string().transform(BigInt)).default([]),
})

/** Asks the local verifier contract for staging apps about proofs of protocol 4.0. */
export function createVerifier(rpcUrl: string, { app, action }: { app: string; action: string }) {
  const rpId = requireValue(parseRpId(rpIdOfApp(app)), 'the rp id')
  const actionOf = (text: string) => hashToField(Buffer.from(text))

  async function errorOf(
    item: z.output<typeof Item>,
    { nonce, session_id }: Result,
  ): Promise<string | null> {
    const chain = await connectLocalChain(rpcUrl)
    const address = inject('chainTemplate').addresses.verifiers.staging
    const bounds = [
      BigInt(item.expires_at_min),
      BigInt(item.issuer_schema_id),
      BigInt(item.credential_genesis_issued_at_min),
    ] as const
    const bound = [rpId, BigInt(nonce), BigInt(item.signal_hash)] as const
    const [a = 0n, b0 = 0n, b1 = 0n, c = 0n, root = 0n] = item.proof
    const words = [a, b0, b1, c, root] as const
    const contract = { address, abi: abi.worldId } as const
    if (session_id === undefined) {
      const args = [BigInt(item.nullifier), actionOf(action), ...bound, ...bounds, words] as const
      return nameOfError(chain.readContract({ ...contract, functionName: 'verify', args }))
    }
    const { commitment } = requireValue(parseSessionId(session_id), 'the session id')
    const [nullifier = 0n, sessionAction = 0n] = item.session_nullifier
    const session = [commitment, [nullifier, sessionAction]] as const
    const args = [...bound, ...bounds, ...session, words] as const
    return nameOfError(chain.readContract({ ...contract, functionName: 'verifySession', args }))
  }

  return {
    /** Returns, for each proof, the error with which the contract reverts, or null if the proof is valid. */
    errors: (result: Result) =>
      Promise.all(result.responses.map((item) => errorOf(Item.parse(item), result))),
  }
}

function nameOfError(call: Promise<unknown>): Promise<string | null> {
  return call.then(
    () => null,
    (error: Error) => /Error: (\w+)\(/.exec(error.message)?.[1] ?? error.message,
  )
}
