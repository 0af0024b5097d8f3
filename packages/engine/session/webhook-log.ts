import type { Log } from '../../../lib/runtime/log/log.ts'
import type { Config } from '../config/config.ts'
import { cutText, openTypedLog } from '../log/typed-log.ts'
import type { OutgoingReply } from '../outgoing/send-request.ts'

/** The lines of the type `webhook-log`: one for each call of the authentication hook. */
export type WebhookLog = {
  writeReply(reply: OutgoingReply): void
  /** Writes that no reply arrived. */
  writeFailure(cause: unknown): void
}

/** Opens the log of the authentication hook. Its lines have the fields of Hasura's lines. */
export function openWebhookLog(url: string, config: Config, log: Log): WebhookLog {
  const lines = openTypedLog(log, 'webhook-log', config)
  const { origin, pathname } = new URL(url)
  // Leaves out the query and the password of the address.
  const common = { url: cutText(origin + pathname), method: config.authHookMode, message: null }
  return {
    writeReply({ status, text }) {
      const isSuccess = status === 200
      lines.write(isSuccess ? 'info' : 'error', {
        ...common,
        status_code: status,
        http_error: null,
        response: isSuccess ? null : cutText(text),
      })
    },
    writeFailure(cause) {
      const reason = cause instanceof Error ? cause.message : String(cause)
      const http_error = { type: 'http_exception', message: cutText(reason) }
      lines.write('error', { ...common, status_code: null, http_error, response: null })
    },
  }
}
