import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { type Context, jsonOperation } from '../../lib/runtime/web/operation.ts'
import { isEmail, normaliseEmail } from '../accounts/email-address.ts'
import type { Sdk } from '../generated/sdk.ts'
import { Done } from '../route/answer-schemas.ts'
import { requiredText } from '../route/input-text.ts'

/** The body of `POST /api/v1/resend-verification` and `POST /api/v1/forgot-password`. */
export const RequestLinkInput = z.object({ email: requiredText.transform(normaliseEmail) })

/** The shortest time until the response. Queuing a message takes less, so the timing does not reveal registered addresses. */
const ANSWER_AFTER_MS = 200

/**
 * Queues another verification link if the address is registered and not verified yet. The database queues at most three
 * an hour.
 *
 * @returns `{ success: true }` for every address
 * @throws unavailable
 */
export const resendVerification = linkRequest(
  'Ask for another link that verifies an e-mail address',
  (graphql) => graphql.ResendVerification,
)

/**
 * Queues a link to reset the password if the address is registered. The database queues at most three an hour.
 *
 * @returns `{ success: true }` for every address
 * @throws unavailable
 */
export const forgotPassword = linkRequest(
  'Ask for a link to reset a password',
  (graphql) => graphql.ForgotPassword,
)

type Queue = (variables: { email: string }, headers: Record<string, string>) => Promise<unknown>

/** Creates an operation. Its response and timing do not depend on whether the address is registered. */
function linkRequest(summary: string, queueOf: (graphql: Sdk) => Queue) {
  return jsonOperation(
    { tag: 'Accounts', summary, output: Done, errors: ['required', 'unavailable'] },
    ({ graphql }: { graphql: Sdk }) =>
      async ({ email }: z.infer<typeof RequestLinkInput>, { requestId }: Context) => {
        const validEmail = isEmail(email) ? email : ''
        const insertion = queueOf(graphql)({ email: validEmail }, { 'x-request-id': requestId })
        await Promise.all([insertion, sleep(ANSWER_AFTER_MS)])
        return { success: true } as const
      },
  )
}
