import { z } from 'zod'
import { betaClaim } from '../provider/account.ts'

/** The claim about the proof (spec 2.12). */
const Beta = z.strictObject({
  likely_human: z.enum(['strong', 'weak']),
  credential_type: z.string(),
  staging: z
    .literal(true)
    .optional()
    .describe('Present in tokens of a staging app: the person may be simulated'),
})

/** Returns the schema of the claim about the proof, with the name of the claim as the key. */
export function betaField(issuer: string) {
  return { [betaClaim(issuer)]: Beta }
}
