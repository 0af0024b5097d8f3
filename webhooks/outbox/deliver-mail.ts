import { z } from 'zod'
import type { Log } from '../../lib/runtime/log/log.ts'
import { type Context, jsonOperation } from '../../lib/runtime/web/operation.ts'
import type { Mailer } from '../mail/mailer.ts'
import { type ComposeServices, composeMessage, type QueuedMail } from './compose-message.ts'

/** The number of messages leased and sent at a time. */
export const MAIL_BATCH = 5

/** No batch begins later than this after the first batch, because Hasura's scheduler waits only a minute for the response. */
const MAX_DURATION_MS = 25_000

export type DeliverMailServices = ComposeServices & { mailer: Mailer }

const Delivery = z.strictObject({ success: z.literal(true), sent: z.int(), failed: z.int() })

/**
 * Sends the messages of the outbox in batches, until a batch is not full or the time is up.
 *
 * The lease of a message ends at the time of the next attempt. So a failure need not be recorded, and loses no message.
 * A message is sent twice only if the mail server accepted it, but its row was not marked as sent.
 *
 * @returns `{ success, sent, failed }`
 * @throws unavailable
 */
export const deliverMail = jsonOperation(
  {
    tag: 'Internal',
    summary: 'Send the messages in the outbox',
    output: Delivery,
    errors: ['unavailable'],
  },
  (services: DeliverMailServices) =>
    async (_input: undefined, { log, requestId }: Context) => {
      const headers = { 'x-request-id': requestId }
      const until = performance.now() + MAX_DURATION_MS
      const outcomes: boolean[] = []
      for (;;) {
        const { mail: batch } = await services.graphql.LeaseMail({ batch: MAIL_BATCH }, headers)
        outcomes.push(
          ...(await Promise.all(batch.map((mail) => deliverMessage(mail, services, log)))),
        )
        if (batch.length < MAIL_BATCH || performance.now() > until) break
      }
      const sent = outcomes.filter(Boolean).length
      return { success: true, sent, failed: outcomes.length - sent } as const
    },
)

async function deliverMessage(
  mail: QueuedMail,
  services: DeliverMailServices,
  log: Log,
): Promise<boolean> {
  try {
    await services.mailer.send(await composeMessage(mail, services))
  } catch (error) {
    log.warn(
      { mail_id: mail.id, attempts: mail.attempts, reason: mailErrorCodes(error) },
      'mail not sent',
    )
    return false
  }
  await markSent(mail, services, log)
  return true
}

/** Marks a message as sent. Tries up to three times, because a message that is not marked would be sent again. */
async function markSent(mail: QueuedMail, { graphql, now }: DeliverMailServices, log: Log) {
  const markAsSent = () =>
    graphql.MarkMailSent({ id: mail.id, sent_at: new Date(now()).toISOString() })
  await markAsSent()
    .catch(markAsSent)
    .catch(markAsSent)
    .catch(() => log.error({ mail_id: mail.id }, 'mail sent, but not marked'))
}

/** The codes of an error: `code` is Nodemailer's, such as `ECONNECTION`; `responseCode` is the mail server's. */
const MailError = z.object({
  code: z.string().optional().catch(undefined),
  responseCode: z.number().optional().catch(undefined),
})

/** Returns the codes of an error, but not its text: a mail server's text may repeat addresses and credentials. */
function mailErrorCodes(error: unknown): string {
  const { code, responseCode } = MailError.safeParse(error).data ?? {}
  return [code, responseCode].filter(Boolean).join(' ') || 'unknown'
}
