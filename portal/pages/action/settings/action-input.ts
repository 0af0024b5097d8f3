import { z } from 'zod'
import { CREDENTIAL_NAMES } from '../../../../lib/proof/protocol-4/credentials.ts'
import { MAX_IDENTIFIER } from './identifier.ts'
import { Limit } from './limit.ts'
import { mayRepeat, PROTOCOLS } from './protocol-fields.tsx'

/** The fields of an action that can be changed. */
const Fields = z.object({
  name: z.string().trim().max(128, 'Enter at most 128 characters.'),
  description: z.string().max(4096, 'Enter at most 4,096 characters.'),
  protocol: z.enum(PROTOCOLS),
  max_verifications: Limit,
  return_url: z.union([
    z.literal(''),
    z
      .url({ protocol: /^https$/, error: 'Must begin with https://' })
      .max(2048, 'Enter at most 2,048 characters.'),
  ]),
  allows_repeat: z.boolean(),
  credentials: z.array(z.enum(CREDENTIAL_NAMES)).min(1, 'Choose at least one credential.'),
  status: z.boolean().transform((isActive) => (isActive ? 'active' : 'inactive')),
})

/** The values of the fields of an action. */
export type ActionValues = z.input<typeof Fields>

/** Parses changed fields of an action. */
export const ChangedAction = Fields.partial()

/** Parses all fields of a new action. */
export const NewAction = Fields.extend({
  action: z
    .string()
    .trim()
    .min(1, 'Enter an identifier.')
    .max(MAX_IDENTIFIER, `Enter at most ${MAX_IDENTIFIER} characters.`),
})

/** Switches "Repeat allowed" off where it has no effect, because the database accepts it only where it has an effect. */
export function withoutVainRepeat<Values extends ActionValues>(values: Values): Values {
  return { ...values, allows_repeat: values.allows_repeat && mayRepeat(values) }
}
