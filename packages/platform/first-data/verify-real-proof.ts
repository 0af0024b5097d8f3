import { z } from 'zod'
import { REAL_PROOF } from '../../../lib/proof/examples/real-requests.ts'
import { runSqlThroughHasura } from './run-sql.ts'

const LimitReached = z.object({ code: z.literal('max_verifications_reached') })

type Platform = { baseUrl: string; hasura: { endpoint: string; adminSecret: string } }

/**
 * Verifies the proof of a real person over HTTP, and deletes the count, so that a developer can still try the proof.
 *
 * @throws Error if the developer API rejects the proof
 */
export async function verifyRealProof({ baseUrl, hasura }: Platform): Promise<void> {
  const response = await fetch(`${baseUrl}/api/v2/verify/${REAL_PROOF.appId}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(REAL_PROOF.body),
  })
  const answer: unknown = await response.json()
  // A developer has already verified the proof, so its count must stay.
  if (LimitReached.safeParse(answer).success) return
  if (!response.ok)
    throw new Error(
      `The developer API rejected a real proof: ${response.status} ${JSON.stringify(answer)}`,
    )
  await runSqlThroughHasura(
    hasura,
    `delete from nullifier where nullifier_hash = '${REAL_PROOF.body.nullifier_hash}' and uses = 1`,
  )
}
