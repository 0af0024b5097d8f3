import { z } from 'zod'
import { scopeOfAction } from '../../../lib/proof/scope.ts'
import type { Config } from '../../../lib/runtime/config.ts'
import { ApiError } from '../../../lib/runtime/errors.ts'
import { isStorableText } from '../../../lib/runtime/hasura/storable-text.ts'
import { createRateCounter, type HitCounts } from '../../../lib/runtime/limits/rate-counts.ts'
import { canonicalNullifier, pickAction } from '../../verify/requirements.ts'
import { type CountProofCheck, idText, teamAction, teamsOf } from '../action.ts'
import { checksOf } from './checks.ts'
import { readGivenProof } from './given-proof.ts'

const Input = z.object({ app_id: idText, action: z.string().max(1_024), proof: z.looseObject({}) })

/**
 * Makes each check of a verification, also those after one that fails, and counts nobody.
 *
 * @returns `{ checks: [{ name, passed, detail }] }`, in order; `passed` is null for what cannot be judged
 * @throws not_found, alike for an app that does not exist and for another team's; rate_limited, unavailable
 */
export const checkProof = teamAction(
  Input,
  ({ graphql, verification, countProofCheck }) =>
    async ({ app_id, action, proof }, caller) => {
      const who = 'keyId' in caller ? caller.teamId : caller.userId
      countProofCheck(who)
      const given = readGivenProof(proof)
      const { fields } = given
      const { app: apps } = await graphql.CheckProof(
        {
          mine: teamsOf(caller),
          app_id,
          actions: [action].filter(isStorableText),
          nullifier_hashes: [canonicalNullifier(fields.nullifierHash)],
        },
        caller.headers,
      )
      const [app] = apps
      if (!app) throw new ApiError('not_found', { attribute: 'app_id', detail: 'No such app.' })
      const nullifier_hash = fields.nullifierHash
      const found = pickAction(apps, { app_id, action, nullifier_hash })
      const scope = scopeOfAction({ id: found.action?.id ?? '', app_id, action })
      const examined = await verification.examine({
        ...fields,
        scope,
        isStaging: app.is_staging,
        callers: [app_id, who],
      })
      return { checks: checksOf({ asked: { app_id, action }, app, found, given, scope, examined }) }
    },
)

/** Who checks proofs may do it as often as an address may verify. */
export function createProofCheckCounter(
  { RATE_LIMIT_VERIFY: rate }: Pick<Config, 'RATE_LIMIT_VERIFY'>,
  counts: HitCounts,
): CountProofCheck {
  const count = createRateCounter(counts)
  return (caller) => count('check-proof', rate, caller)
}
