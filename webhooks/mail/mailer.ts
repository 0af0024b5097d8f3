import { createTransport } from 'nodemailer'
import { resultInTime } from '../../lib/runtime/calls/result-in-time.ts'
import { requireValue } from '../../lib/runtime/require-value.ts'

export type Message = {
  /** Becomes the Message-ID, so that a mailbox recognises a message that it gets twice. */
  id: string
  to: string
  subject: string
  /** The same content as plain text and as HTML. Mail programs show the form that their users prefer. */
  text: string
  html: string
}

export type Mailer = {
  /** Resolves when the mail server has accepted the message. */
  send(message: Message): Promise<void>
  close(): void
}

type Options = {
  /** An `smtp://` or `smtps://` URL, with user and password if the server needs them. */
  url: string
  from: string
  /** How many messages are sent at a time, each over a pooled connection. */
  concurrency: number
  timeoutMs: number
}

/** Creates the client of a mail server (SMTP). */
export function createMailer({ url, from, concurrency, timeoutMs }: Options): Mailer {
  const transport = createTransport({
    url,
    pool: true,
    maxConnections: concurrency,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const domain = requireValue(from.split('@')[1], 'the domain in MAIL_FROM').replace(/>$/, '')
  const { host } = new URL(`mail://${domain}`)
  return {
    async send({ id, to, subject, text, html }) {
      const headers = { 'Auto-Submitted': 'auto-generated' }
      const messageId = `<${id}@${host}>`
      // Nodemailer would parse a text with a comma as several addresses, but not an object.
      const delivery = transport.sendMail({
        from,
        to: { name: '', address: to },
        subject,
        text,
        html,
        headers,
        messageId,
      })
      // Bounds the whole delivery, because the transport's timeouts start again with every byte.
      const result = await resultInTime(3 * timeoutMs, delivery)
      if (!result) throw new Error(`The mail server took more than ${3 * timeoutMs} ms.`)
    },
    close: () => transport.close(),
  }
}
