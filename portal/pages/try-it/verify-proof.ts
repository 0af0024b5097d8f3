import { z } from 'zod'
import { fromStatus } from '../../graphql/request-error.ts'
import { send } from '../../graphql/send.ts'

const WalletAnswer = z.union([
  z.object({ error_code: z.string() }),
  z
    .object({
      proof: z.string(),
      merkle_root: z.string(),
      nullifier_hash: z.string(),
      verification_level: z.string().optional(),
      /** The name of `verification_level` in responses of the first wallets. */
      credential_type: z.string().optional(),
    })
    .transform(({ credential_type, ...proof }) => ({
      ...proof,
      verification_level: proof.verification_level ?? credential_type,
    })),
])

/** A proof, or the wallet's error. */
export type WalletAnswer = z.output<typeof WalletAnswer>

/** Parses the answer of a wallet to a request of protocol 3.0. */
export function readWalletAnswer(answer: unknown): WalletAnswer {
  const result = WalletAnswer.safeParse(answer)
  return result.success ? result.data : { error_code: 'unexpected_response' }
}

/** A request to the platform and its response. */
export type Exchange = {
  action: string
  path: string
  /** The JSON text of the request. */
  body: string
  status: number
  answer: unknown
}

/**
 * Sends a proof to the platform, as an app's server does.
 *
 * @param path the path of a verify endpoint
 * @throws RequestError if the platform does not answer
 */
export async function verifyProof(
  path: string,
  proof: { action: string } & Record<string, unknown>,
): Promise<Exchange> {
  const body = JSON.stringify(proof, null, 2)
  const reply = await send(path, { body: proof, isChange: true })
  if (reply.body === null) throw fromStatus(reply.status)
  return { action: proof.action, path, body, status: reply.status, answer: reply.body }
}
