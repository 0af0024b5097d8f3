import { z } from 'zod'
import { scopeOfAction } from '../../../lib/proof/scope.ts'
import type { Config } from '../../../lib/runtime/config.ts'
import { ApiError } from '../../../lib/runtime/errors.ts'
import { isStorableText } from '../../../lib/runtime/hasura/storable-text.ts'
import { createRateCounter, type HitCounts } from '../../../lib/runtime/limits/rate-counts.ts'
import { canonicalNullifier, pickAction } from '../../verify/requirements.ts'
import { type CountProofCheck, idText, teamAction, teamsOf } from '../action.ts'
import { runChecks } from './checks.ts'
import { readPastedProof } from './pasted-proof.ts'
import { checkProof4 } from './protocol-4/check-proof-4.ts'
import { readPastedProof4 } from './protocol-4/pasted-proof-4.ts'

const Input = z.object({ app_id: idText, action: z.string().max(1_024), proof: z.looseObject({}) })

/**
 * Runs all checks of a verification, even after a failed check, and counts no person.
 *
 * @returns `{ checks: [{ name, passed, detail }] }`, in order; `passed` is null if a check cannot be made
 * @throws not_found for an unknown app and for another team's app; rate_limited, unavailable
 */
export const checkProof = teamAction(
  Input,
  ({ graphql, verification, countProofCheck }) =>
    async ({ app_id, action, proof }, caller) => {
      const callerId = 'keyId' in caller ? caller.teamId : caller.userId
      countProofCheck(callerId)
      const target = { app_id, action }
      const pastedProof4 = readPastedProof4(proof, target)
      const pastedProof = readPastedProof(proof)
      const { fields } = pastedProof
      const nullifier_hash = pastedProof4 ? pastedProof4.nullifier : fields.nullifierHash
      const { app: apps } = await graphql.CheckProof(
        {
          readable_teams: teamsOf(caller),
          app_id,
          actions: [action].filter(isStorableText),
          nullifier_hashes: [canonicalNullifier(nullifier_hash)],
        },
        caller.headers,
      )
      const [app] = apps
      if (!app) throw new ApiError('not_found', { attribute: 'app_id', detail: 'No such app.' })
      const candidate = pickAction(apps, { ...target, nullifier_hash })
      const callers = [app_id, callerId]
      if (pastedProof4) {
        const proof4 = { target, app, candidate, pastedProof: pastedProof4, callers }
        return { checks: await checkProof4(verification, proof4) }
      }
      const scope = scopeOfAction({ id: candidate.action?.id ?? '', app_id, action })
      const { is_staging: isStaging } = app
      const examination = await verification.examine({ ...fields, scope, isStaging, callers })
      return { checks: runChecks({ target, app, candidate, pastedProof, scope, examination }) }
    },
)

/** Creates the rate limit of `check_proof`. Each team or user has the same rate as an IP address has for `verify`. */
export function createProofCheckCounter(
  { RATE_LIMIT_VERIFY: rate }: Pick<Config, 'RATE_LIMIT_VERIFY'>,
  counts: HitCounts,
): CountProofCheck {
  const count = createRateCounter(counts)
  return (caller) => count('check-proof', rate, caller)
}
