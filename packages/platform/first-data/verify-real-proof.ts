import { z } from 'zod'
import { REAL_PROOF } from '../../../lib/proof/examples/real-requests.ts'
import { runSqlThroughHasura } from './run-sql.ts'

const CountedBefore = z.object({ code: z.literal('max_verifications_reached') })

type Platform = { baseUrl: string; hasura: { endpoint: string; adminSecret: string } }

/**
 * Verifies a real person's proof over HTTP, and takes the count back, so that the proof can still be tried
 * by hand.
 *
 * @throws Error when the answer is not the one that a working platform gives
 */
export async function verifyRealProof({ baseUrl, hasura }: Platform): Promise<void> {
  const response = await fetch(`${baseUrl}/api/v2/verify/${REAL_PROOF.appId}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(REAL_PROOF.body),
  })
  const answer: unknown = await response.json()
  // Somebody has tried it since the first start, and was counted as they should be.
  if (CountedBefore.safeParse(answer).success) return
  if (!response.ok)
    throw new Error(`A real proof was not accepted: ${response.status} ${JSON.stringify(answer)}`)
  await runSqlThroughHasura(
    hasura,
    `delete from nullifier where nullifier_hash = '${REAL_PROOF.body.nullifier_hash}' and uses = 1`,
  )
}
