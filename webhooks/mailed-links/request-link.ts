import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { type Context, jsonOperation } from '../../lib/runtime/web/operation.ts'
import { isEmail, normaliseEmail } from '../accounts/email-address.ts'
import type { Sdk } from '../generated/sdk.ts'
import { Done } from '../route/answer-schemas.ts'
import { requiredText } from '../route/input-text.ts'

/** Body of `POST /api/v1/resend-verification` and `POST /api/v1/forgot-password`. */
export const RequestLinkInput = z.object({ email: requiredText.transform(normaliseEmail) })

/** Longer than queueing takes, so that timing does not reveal whether an address is registered. */
const ANSWER_AFTER_MS = 200

/**
 * Queues another verification link, when the address is registered and not verified yet.
 *
 * @returns `{ success: true }` either way
 * @throws unavailable
 */
export const resendVerification = linkRequest(
  'Ask for another link that verifies an e-mail address',
  (graphql) => graphql.ResendVerification,
)

/**
 * Queues a link for choosing another password, when the address is registered.
 *
 * @returns `{ success: true }` either way
 * @throws unavailable
 */
export const forgotPassword = linkRequest(
  'Ask for a link with which to choose another password',
  (graphql) => graphql.ForgotPassword,
)

type Queue = (variables: { email: string }, headers: Record<string, string>) => Promise<unknown>

/** An operation that answers alike, and after the same time, whether the address is registered or not. */
function linkRequest(summary: string, queueOf: (graphql: Sdk) => Queue) {
  return jsonOperation(
    { tag: 'Accounts', summary, output: Done, errors: ['required', 'unavailable'] },
    ({ graphql }: { graphql: Sdk }) =>
      async ({ email }: z.infer<typeof RequestLinkInput>, { requestId }: Context) => {
        const asked = isEmail(email) ? email : ''
        const queueing = queueOf(graphql)({ email: asked }, { 'x-request-id': requestId })
        await Promise.all([queueing, sleep(ANSWER_AFTER_MS)])
        return { success: true } as const
      },
  )
}
