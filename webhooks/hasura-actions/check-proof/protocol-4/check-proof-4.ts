import { parseRpId } from '../../../../lib/proof/protocol-4/rp-id.ts'
import { requireValue } from '../../../../lib/runtime/require-value.ts'
import type { Verification } from '../../../../lib/verification/verification.ts'
import type { Check } from '../checks.ts'
import { type ProofToJudge4, runChecks4 } from './checks-4.ts'

type Context = Omit<ProofToJudge4, 'hasProtocol4' | 'examination'> & { callers: readonly string[] }

/**
 * Runs all checks of a proof of protocol 4.0.
 *
 * @throws unavailable
 */
export async function checkProof4(
  { hasProtocol4, examine4 }: Pick<Verification, 'hasProtocol4' | 'examine4'>,
  { callers, ...proof }: Context,
): Promise<Check[]> {
  const { app, pastedProof } = proof
  const rpId = requireValue(parseRpId(app.rp_id), 'the number of the rp id')
  const examination =
    hasProtocol4 && pastedProof.fields
      ? await examine4({ ...pastedProof.fields, rpId, isStaging: app.is_staging, callers })
      : null
  return runChecks4({ ...proof, hasProtocol4, examination })
}
