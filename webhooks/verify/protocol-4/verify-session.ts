import { z } from 'zod'
import type { Context } from '../../../lib/runtime/web/operation.ts'
import { createActionFinder } from '../requirements.ts'
import type { VerifyServices } from '../verify.ts'
import { Environment, type SessionResult } from './form.ts'
import { environmentOf, requireApp } from './requirements.ts'
import { requireValidProof, resultOf, SessionProofResult } from './results.ts'
import { verifySession } from './verify-responses.ts'

/** The response to a result with session proofs (spec 2.20). */
export const SessionOutput = z.strictObject({
  success: z.literal(true),
  session_id: z.string(),
  environment: Environment,
  results: z.array(SessionProofResult).describe('The result of each proof'),
  message: z.string(),
})

/** No action belongs to a session; the action for sign-in is found instead. */
const NO_ACTION = { action: '', nullifier_hash: '' }

/**
 * Creates the function that verifies a result with session proofs. Nothing is stored, and no person is counted.
 *
 * The created function throws the errors of `requireApp`, all_verifications_failed and unavailable.
 */
export function createVerifySession({ graphql, verification, now }: VerifyServices) {
  const findAction = createActionFinder({ graphql, gather: verification.gather, now })
  return async (result: SessionResult, { requestId, address }: Context) => {
    const { app_id, session_id } = result
    const candidate = await findAction({ ...NO_ACTION, app_id, requestId }, null)
    const app = requireApp(candidate, result, verification)
    const proofs = await verifySession(verification, result, {
      ...app,
      callers: [app_id, address],
    })
    const results = proofs.map((proof) => ({ ...resultOf(proof), sessionId: session_id }))
    requireValidProof(proofs, results)
    return {
      success: true,
      session_id,
      environment: environmentOf(app, result),
      results,
      message: 'Session proof verified successfully',
    } as const
  }
}
