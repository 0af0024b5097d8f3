import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { isEmail, normaliseEmail } from '../accounts/email-address.ts'
import type { Sdk } from '../generated/sdk.ts'
import { Done } from '../route/answer-schemas.ts'
import { requiredText } from '../route/input-text.ts'
import { type Context, jsonOperation } from '../route/operation.ts'

/** Body of `POST /api/v1/resend-verification`. */
export const ResendVerificationInput = z.object({ email: requiredText.transform(normaliseEmail) })

/** Longer than queueing takes, so that timing does not reveal whether an address is registered. */
const ANSWER_AFTER_MS = 200

/**
 * Queues another verification link, when the address is registered and not verified yet.
 *
 * @returns `{ success: true }` either way
 * @throws unavailable
 */
export const resendVerification = jsonOperation(
  {
    tag: 'Accounts',
    summary: 'Ask for another link that verifies an e-mail address',
    output: Done,
    errors: ['required', 'unavailable'],
  },
  ({ graphql }: { graphql: Sdk }) =>
    async ({ email }: z.infer<typeof ResendVerificationInput>, { requestId }: Context) => {
      const asked = isEmail(email) ? email : ''
      const queueing = graphql.ResendVerification({ email: asked }, { 'x-request-id': requestId })
      await Promise.all([queueing, sleep(ANSWER_AFTER_MS)])
      return { success: true } as const
    },
)
